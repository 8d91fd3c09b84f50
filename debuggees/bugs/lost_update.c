// Bug: lost update. A counter is read, changed and written back without a lock. Pattern: the oldest of all;
// Netzer and Miller, "What are Race Conditions?", 1992.
// Fails with status 1 when increments are missing.
#include "bug.h"

static volatile int counter;

static void *increment(void *argument)
{
    for (int i = 0; i < 200; i++) {
        int seen = counter;
        if (i % 20 == 0)
            dawdle(5);
        counter = seen + 1;
    }
    return argument;
}

int main(void)
{
    run_two(increment, increment, NULL);
    printf("%d of 400\n", counter);
    return counter == 400 ? 0 : WRONG;
}
