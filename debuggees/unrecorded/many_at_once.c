// Twelve children that live at the same time: a replay under a lower limit on processes cannot start them all.
#include "../support.h"

int main(void)
{
    int ends[2];
    MUST(pipe(ends));
    for (int i = 0; i < 12; i++) {
        if (MUST(fork()) == 0) {
            char byte;
            close(ends[1]);
            _exit(read(ends[0], &byte, 1));
        }
    }
    close(ends[1]);
    wait_for_children();
    say("done in %d\n", getpid());
}
