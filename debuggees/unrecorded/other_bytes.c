// Not replayable on purpose: writes bytes that come from the time-stamp counter.
// A replay has to notice that the same call carries other bytes.
#include "counter.h"

int main(void)
{
    unsigned long long value = unseen_counter();
    int ends[2];
    MUST(pipe(ends));
    if (MUST(fork()) == 0) {
        write_all(ends[1], &value, sizeof value);
        _exit(0);
    }
    MUST(read(ends[0], &value, sizeof value));
    say("%016llx\n", value);
    wait_for_children();
}
