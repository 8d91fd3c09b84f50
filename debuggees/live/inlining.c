/* Functions inlined into each other, with values that exist only in parts. */
volatile int sink;
volatile int source = 6;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

static inline __attribute__((always_inline)) int deepest(int value) {
    int scaled = value * 3;
    stop_here(scaled);
    return scaled + source;
}

static inline __attribute__((always_inline)) int middle(int value, int offset) {
    int moved = value + offset;
    int result = deepest(moved);
    return result - offset;
}

__attribute__((noinline)) static int outer(int first, int second) {
    int one = middle(first, 1);
    int two = middle(second, 2);
    return one + two;
}

int main(void) {
    int start = source;
    int result = outer(start, start + 4);
    stop_here(result);
    return 0;
}
