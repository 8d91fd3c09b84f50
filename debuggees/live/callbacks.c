/* Function pointers, and a callback that libc calls. */
#include <stdlib.h>

typedef int (*operation)(int, int);
struct handler {
    const char *name;
    operation run;
};

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int add(int left, int right) {
    int sum = left + right;
    stop_here(sum);
    return sum;
}

static int compare(const void *left, const void *right) {
    int a = *(const int *)left, b = *(const int *)right;
    stop_here(a - b);
    return a - b;
}

__attribute__((noinline)) static int apply(const struct handler *handler, int value) {
    operation run = handler->run;
    int result = run(value, value + 1);
    return result * 2;
}

int main(void) {
    struct handler handler = {"adder", add};
    int numbers[3] = {9, 4, 7};
    int result = apply(&handler, 20);
    qsort(numbers, 3, sizeof numbers[0], compare);
    stop_here(result + numbers[0]);
    return 0;
}
