// Not replayable on purpose: the child sends a number of messages given by the time-stamp counter,
// the parent waits for all of them. In a replay some may never come: that must be reported and
// must not be a hang.
#include "../support.h"
#include <x86intrin.h>

int main(void)
{
    int ends[2];
    MUST(pipe(ends));
    if (MUST(fork()) == 0) {
        unsigned long long count = 1 + (__rdtsc() >> 3) % 50;
        for (unsigned long long i = 0; i < count; i++)
            write_all(ends[1], "sent", 4);
        _exit(0);
    }
    close(ends[1]);
    char text[1024];
    size_t got = read_to_end(ends[0], text, sizeof text);
    say("received %zu in %d\n", got, getpid());
    wait_for_children();
}
