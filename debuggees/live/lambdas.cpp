// Closures by value and by reference, called directly and through a template.
volatile int sink;
extern "C" __attribute__((noinline)) void stop_here(int number) { sink = number; }

template <typename Function> __attribute__((noinline)) static int call(const Function &function, int value) {
    int result = function(value);
    return result + 1;
}

int main() {
    int base = 10;
    int touched = 0;
    auto add = [base, &touched](int value) __attribute__((noinline)) {
        int sum = base + value;
        touched++;
        stop_here(sum);
        return sum;
    };
    int direct = add(5);
    int indirect = call(add, 6);
    stop_here(direct + indirect + touched);
    return 0;
}
