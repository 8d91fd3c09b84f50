// Not replayable on purpose: asks for a random amount of input, by the time-stamp counter.
// A replay has to notice that the same call has other arguments.
#include "counter.h"

int main(void)
{
    char bytes[4096];
    int zero = MUST(open("/dev/zero", O_RDONLY));
    long total = 0;
    for (int i = 0; i < 16; i++)
        total += MUST(read(zero, bytes, 1 + unseen_counter() % sizeof bytes));
    say("pid %d\n", getpid());
    return total == 0;
}
