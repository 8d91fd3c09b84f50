// Overloaded functions and operators in namespaces, enum classes, default arguments.
volatile int sink;
extern "C" __attribute__((noinline)) void stop_here(int number) { sink = number; }

namespace geometry {
enum class Axis : unsigned char { Horizontal, Vertical = 4 };
struct Vector {
    int x, y;
    __attribute__((noinline)) Vector operator+(const Vector &other) const {
        Vector sum{x + other.x, y + other.y};
        stop_here(sum.x);
        return sum;
    }
};
namespace detail {
__attribute__((noinline)) static int project(const Vector &vector, Axis axis = Axis::Vertical) {
    int result = axis == Axis::Vertical ? vector.y : vector.x;
    stop_here(result);
    return result;
}
__attribute__((noinline)) static int project(int value, bool negative) {
    int result = negative ? -value : value;
    stop_here(result);
    return result;
}
} // namespace detail
} // namespace geometry

int main() {
    geometry::Vector left{1, 2}, right{10, 20};
    geometry::Vector sum = left + right;
    int projected = geometry::detail::project(sum) + geometry::detail::project(9, true);
    stop_here(projected);
    return 0;
}
