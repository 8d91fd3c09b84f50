#include <cstdio>
#include <string>
#include <vector>

struct Hidden;

namespace geometry {

enum class Kind { Circle, Square };

struct Shape {
  virtual ~Shape() {}
  virtual double area() const = 0;
  static int count;
  static const int limit = 12;
};

int Shape::count = 0;

class Circle : public Shape {
  double radius;

public:
  explicit Circle(double r) : radius(r) { count++; }
  double area() const override;
};

double Circle::area() const
{
  return 3.0 * radius * radius; // mark: area
}

template <class T> T twice(T value)
{
  return value + value; // mark: twice
}

int over(int number)
{
  return number; // mark: over int
}

int over(double number)
{
  return static_cast<int>(number); // mark: over double
}

namespace {
int secret(int number)
{
  return number * 2; // mark: secret
}
} // namespace

} // namespace geometry

struct Left { int left; };
struct Right { int right; };
struct Both : Left, virtual Right { int both; };

int use_hidden(Hidden *hidden);
int (Both::*member_pointer) = &Both::both;

int main()
{
  geometry::Circle circle(2.0);
  const std::string &text = "abc";
  std::vector<int> numbers{1, 2, 3};
  geometry::Kind kind = geometry::Kind::Square;
  Both both{};
  auto add = [&](int extra) { return extra + numbers[0]; }; // mark: lambda
  std::printf("%f %d %f %d %d %d %d %s %d %d\n", circle.area(), geometry::twice(3),
              geometry::twice(1.5), geometry::over(1), geometry::over(2.0),
              geometry::secret(4), static_cast<int>(kind), text.c_str(), add(1),
              both.*member_pointer + use_hidden(nullptr)); // mark: print
}
