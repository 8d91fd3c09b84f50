// For the commands of the prompt: methods that are virtual, overloaded, or operators; iterators; lambdas.
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

struct Shape {
    int sides = 0;
    virtual ~Shape() {}
    virtual int area() const { return 0; }
};

struct Named {
    int tag = 7;
    virtual ~Named() {}
    virtual int label() const = 0;
};

struct Square : Shape, Named {
    int side;
    explicit Square(int side) : side(side) { sides = 4; }
    int area() const override { return side * side; }
    int label() const override { return tag + side; }
};

struct Money {
    int cents;
    Money operator+(const Money &other) const { return {cents + other.cents}; }
    int operator[](int index) const { return cents * index; }
    Money operator-() const { return {-cents}; }
    operator bool() const { return cents != 0; }
    int scaled(int by) const { return cents * by; }
    int scaled(double by) const { return static_cast<int>(cents * by); }
};

int pick(int) { return 1; }
int pick(double) { return 2; }
int pick(const Money &) { return 3; }
static int by_reference(const int &value) { return value + 1; }

__attribute__((noinline)) void stop_here() {}

int main() {
    Square square(5);
    Shape *shape = &square;
    Named &named = square;
    Money small{3}, large{40};
    std::map<std::string, int> ages{{"ada", 36}, {"eve", 7}};
    std::set<int> numbers{3, 1, 2};
    std::list<int> line{4, 5};
    std::deque<int> queue{6, 7};
    std::vector<int> vector{8, 9};
    auto age = ages.begin();
    auto number = numbers.begin();
    auto link = line.begin();
    auto queued = queue.begin();
    auto element = vector.begin();
    int local = 20;
    int &alias = local;
    auto adds = [local](int more) { return local + more; };
    stop_here();
    int total = shape->area() + named.label() + (small + large)[1] + (-small).cents + pick(1) + pick(1.5);
    total += pick(small) + by_reference(alias) + adds(1) + small.scaled(2) + small.scaled(1.5) + age->second;
    return total + *number + *link + *queued + *element == 0 || !large;
}
