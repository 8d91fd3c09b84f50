// The containers of the standard library.
#include <array>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

volatile int sink;
extern "C" __attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int inspect(const std::vector<int> &numbers, const std::map<int, std::string> &names) {
    int total = 0;
    for (int number : numbers)
        total += number;
    stop_here(total + static_cast<int>(names.size()));
    return total;
}

int main() {
    std::vector<int> numbers{1, 2, 3};
    std::map<int, std::string> names{{1, "one"}, {2, "two"}};
    std::deque<short> queue{7, 8};
    std::list<long> chain{100, 200};
    std::set<char> letters{'a', 'b'};
    std::unordered_map<int, int> squares{{3, 9}};
    std::array<int, 2> pair{5, 6};
    std::tuple<int, double> both{1, 2.5};
    std::optional<int> some = 17;
    std::optional<int> none;
    int total = inspect(numbers, names);
    stop_here(total + static_cast<int>(queue.size() + chain.size() + letters.size() + squares.size()) + pair[0] +
              std::get<0>(both) + some.value() + none.value_or(0));
    return 0;
}
