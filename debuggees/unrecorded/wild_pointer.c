// Not replayable on purpose: faults or not, by the time-stamp counter.
// The test keeps a recording without the fault; a replay that faults has to say so.
#include "../support.h"
#include <sys/resource.h>
#include <x86intrin.h>

int main(void)
{
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    say("pid %d\n", getpid());
    if (__rdtsc() >> 6 & 1)
        *(volatile int *)24 = 1;
    say("no fault\n");
}
