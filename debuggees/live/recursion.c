/* The same function many times on the stack, with other values each time. */
volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static long factorial(int number, long product) {
    long next = product * number;
    if (number <= 1) {
        stop_here((int)next);
        return next;
    }
    long result = 0;
    result += factorial(number - 1, next);
    sink = number;
    return result + sink;
}

__attribute__((noinline)) static int odd(int number);
__attribute__((noinline)) static int even(int number) {
    if (number == 0) {
        stop_here(0);
        return 1;
    }
    int below = 0;
    below += odd(number - 1);
    sink = below;
    return below;
}
static int odd(int number) {
    if (number == 0)
        return 0;
    int below = 0;
    below += even(number - 1);
    sink = below;
    return below;
}

int main(void) {
    long result = factorial(6, 1);
    int is_even = even(7);
    return (int)result + is_even > 0 ? 0 : 1;
}
