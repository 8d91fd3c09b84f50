// Values of classes and of the C++ library, for the tests of printing.
#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

namespace shapes {
enum Plain { CIRCLE, SQUARE };
enum class Scoped { Red, Green };
struct Point {
  int x, y;
};
struct Shape {
  static int count;
  static constexpr int limit = 99;
  virtual ~Shape() {}
  virtual double area() const { return 0; }
  int id = 7;
};
int Shape::count = 3;
struct Round : Shape {
  double radius = 1.5;
  double area() const override { return 3 * radius * radius; }
};
struct Empty {};
struct Both : Point, Empty {
  long z = 3;
};
struct Left : virtual Point {
  int l = 1;
};
}  // namespace shapes

class Counter {
  static const char *label;
  int hits = 5;
  mutable bool dirty = true;

 public:
  enum Mode { FAST = 1, SLOW = 2 };
  Mode mode = SLOW;
  int touch(int by);
  const std::string name = "counter";
};
const char *Counter::label = "label";

template <typename T, int N>
struct Fixed {
  T items[N];
};

int global = 42;
void __attribute__((noinline)) stop() { asm volatile(""); }

int Counter::touch(int by) {
  int local = by + hits;
  stop();
  return local;
}

int twice(int v) { return 2 * v; }

int main() {
  using namespace shapes;
  std::string empty, text = "hello", lengthy(300, 'x'), escaped = "a\"b\n\t\\";
  std::wstring wide = L"wide";
  std::u16string sixteen = u"six";
  std::string_view view = "a view";
  std::vector<int> none, numbers{1, 2, 3}, many(300, 7), repeated(15, 4);
  numbers.reserve(8);
  std::vector<std::string> words{"one", "two"};
  std::vector<bool> flags{true, false, true, true};
  std::vector<std::vector<int>> nested{{1}, {2, 3}, {}};
  std::vector<Point> points{{1, 2}, {3, 4}};
  std::deque<int> deck;
  for (int i = 0; i < 150; i++) deck.push_back(i);
  for (int i = 1; i < 20; i++) deck.push_front(-i);
  std::deque<std::string> text_deck{"a", "b"};
  std::list<int> chain{1, 2, 3}, no_chain;
  std::forward_list<int> forward{4, 5}, no_forward;
  std::map<std::string, int> ages{{"ann", 30}, {"bob", 40}}, no_ages;
  std::map<int, std::vector<int>> lists{{1, {2, 3}}, {4, {}}};
  std::map<int, int> large;
  for (int i = 0; i < 250; i++) large[i] = i * i;
  std::multimap<int, char> multi{{1, 'a'}, {1, 'b'}};
  std::set<int> set{3, 1, 2}, one{5};
  std::multiset<std::string> bag{"x", "x"};
  std::unordered_map<int, std::string> hashed{{1, "one"}};
  std::unordered_map<std::string, int> by_name{{"k", 1}};
  std::unordered_set<int> pool{9};
  std::optional<int> maybe = 5, nothing;
  std::optional<std::string> maybe_text = "some";
  std::optional<std::vector<int>> maybe_list = std::vector<int>{1, 2};
  std::variant<int, std::string, double> either = std::string("text"), number = 3, real = 2.5;
  std::tuple<int, std::string, double> triple{1, "two", 3.5};
  std::tuple<> unit;
  std::pair<int, std::string> pair{1, "one"};
  std::unique_ptr<int> owned = std::make_unique<int>(11), unowned;
  std::unique_ptr<Shape> shape = std::make_unique<Round>();
  std::shared_ptr<int> shared = std::make_shared<int>(12), second = shared, unshared;
  std::weak_ptr<int> watcher = shared;
  std::shared_ptr<Point> shared_point = std::make_shared<Point>(Point{1, 2});
  std::function<int(int)> callable = twice;
  std::array<int, 3> fixed{1, 2, 3};
  std::atomic<int> atomic{6};
  std::atomic<bool> atomic_flag{true};
  std::stack<int> stack;
  stack.push(1);
  stack.push(2);
  std::queue<int> queue;
  queue.push(3);
  std::chrono::seconds seconds{5};
  std::complex<double> complex{1, 2};
  std::initializer_list<int> init{1, 2};
  auto iterator = numbers.begin();
  Plain plain = SQUARE;
  Scoped scoped = Scoped::Green;
  Scoped unknown = static_cast<Scoped>(7);
  Round round;
  Shape *base = &round;
  Shape &reference = round;
  const std::string &text_reference = text;
  int &int_reference = global;
  int &&moved = 8;
  Both both;
  both.x = 1;
  both.y = 2;
  Empty nil;
  Fixed<short, 3> fixed_items{{1, 2, 3}};
  int Point::*member = &Point::y;
  int (Counter::*method)(int) = &Counter::touch;
  bool truth = true;
  char16_t c16 = u'x';
  char32_t c32 = U'y';
  void *null = nullptr;
  std::vector<std::unique_ptr<int>> owners;
  owners.push_back(std::make_unique<int>(1));
  std::map<std::string, std::vector<Point>> deep{{"p", {{1, 2}}}};
  Counter counter;
  auto lambda = [&numbers, truth](int v) { return v + numbers[0] + truth; };
  stop();
  counter.touch(2);
  return lambda(1) + both.z + callable(1) + fixed_items.items[0];
}
