// Not replayable on purpose: decides by the processor's time-stamp counter, which nobody records.
// A replay has to notice (another system call than promised) and say so.
#include "../support.h"
#include <x86intrin.h>

int main(void)
{
    for (int i = 0; i < 64; i++) {
        if (__rdtsc() >> 4 & 1)
            getppid();
        else
            getuid();
    }
    say("pid %d\n", getpid());
}
