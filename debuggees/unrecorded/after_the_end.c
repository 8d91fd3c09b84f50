// Not replayable on purpose: makes a number of calls given by the time-stamp counter, then leaves.
// A replay meets the end of the log too early or too late.
#include "counter.h"

int main(void)
{
    unsigned long long count = 1 + (unseen_counter() >> 3) % 5000;
    for (unsigned long long i = 0; i < count; i++)
        getppid();
    return 0;
}
