/* Many arguments, some on the stack; variable arguments; structs by value and as result. */
#include <stdarg.h>

struct large {
    long words[4];
};
struct small {
    int left;
    double right;
};

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static struct large many(int a, int b, int c, int d, int e, int f, int g, int h,
                                                   struct large large, struct small small) {
    struct large result = {{a + b, c + d, e + f, g + h}};
    stop_here(g * h + (int)small.right);
    result.words[0] += large.words[3];
    return result;
}

__attribute__((noinline)) static int sum(int count, ...) {
    va_list list;
    int total = 0;
    va_start(list, count);
    for (int index = 0; index < count; index++)
        total += va_arg(list, int);
    va_end(list);
    stop_here(total);
    return total;
}

int main(void) {
    struct large large = {{1, 2, 3, 4}};
    struct small small = {5, 6.5};
    struct large result = many(1, 2, 3, 4, 5, 6, 7, 8, large, small);
    int total = sum(3, 10, 20, 30);
    stop_here(total + (int)result.words[0]);
    return 0;
}
