// For the commands of the prompt: a line to stop at, values of each kind, a loop, a recursion, a signal.
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct point { int x, y; };
struct packed { char tag; long long wide; short small; unsigned low : 3; unsigned high : 5; };

int items[3] = {10, 20, 30};
static const unsigned short halves[4] = {1, 2, 3, 4};
char text[16] = "tab\there \"q\" \x01\\";
struct packed one = {'a', 5, 6, 1, 2};
int (*chosen)(int);

__attribute__((noinline)) static int twice(int value) { return value * 2; }

__attribute__((noinline)) int factorial(int n) {
    if (n <= 1)
        return 1;
    return n * factorial(n - 1);
}

__attribute__((noinline)) int lost(int first, int second) {
    int kept = first * 3;
    first = printf("%d\n", kept);
    second = twice(first + kept);
    return second + kept;
}

int main(void) {
    struct point here = {3, 4};
    int sum = 0;
    chosen = twice;
    for (int index = 0; index < 3; index++)
        sum += items[index];
    sum += chosen(here.x);
    sum += factorial(4);
    sum += lost(sum, here.y);
    printf("%d %s\n", sum, text);
    raise(SIGUSR1);
    sum += halves[1] + one.small;
    return sum == 0;
}
