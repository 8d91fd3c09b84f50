// Phenomenon: several processes write to one standard output (and error) at the same time.
// Nondeterministic: the order of all lines; a replay must show the same order.
#include "../support.h"

int main(void)
{
    for (int i = 0; i < 4; i++) {
        if (MUST(fork()) == 0) {
            for (int n = 0; n < 25; n++) {
                say("%d.%d ", i, n);
                if (n % 5 == 0)
                    dprintf(2, "process %d at %d\n", i, n);
            }
            _exit(0);
        }
    }
    for (int n = 0; n < 25; n++)
        say("parent.%d ", n);
    wait_for_children();
    say("done, %d\n", getpid());
}
