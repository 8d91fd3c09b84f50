// A stop in a destructor while an exception passes, and one in its handler.
#include <stdexcept>
#include <string>

volatile int sink;
extern "C" __attribute__((noinline)) void stop_here(int number) { sink = number; }

struct Guard {
    int number;
    explicit Guard(int value) : number(value) {}
    __attribute__((noinline)) ~Guard() { stop_here(number); }
};

__attribute__((noinline)) static int risky(int depth) {
    Guard guard(depth * 10);
    if (depth == 0)
        throw std::runtime_error("deep");
    return risky(depth - 1) + guard.number;
}

int main() {
    int caught = 0;
    try {
        caught = risky(2);
    } catch (const std::runtime_error &error) {
        std::string text = error.what();
        caught = static_cast<int>(text.size());
        stop_here(caught);
    }
    return caught == 4 ? 0 : 1;
}
