// Not replayable on purpose: decides by the time-stamp counter, read in code that no file has.
// A replay has to notice (another system call than promised) and say so.
#include "counter.h"

int main(void)
{
    for (int i = 0; i < 64; i++) {
        if (unseen_counter() >> 4 & 1)
            getppid();
        else
            getuid();
    }
    say("pid %d\n", getpid());
}
