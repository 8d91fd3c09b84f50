// Phenomenon: parent and child talk over a socketpair.
// Nondeterministic: the random numbers they exchange, and their pids.
#include "../support.h"

int main(void)
{
    int ends[2];
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    if (MUST(fork()) == 0) {
        close(ends[0]);
        unsigned number;
        while (MUST(read(ends[1], &number, sizeof number)) == sizeof number) {
            number = number * 3 + getpid();
            write_all(ends[1], &number, sizeof number);
        }
        _exit(0);
    }
    close(ends[1]);
    unsigned sum = 0;
    for (int i = 0; i < 50; i++) {
        unsigned number = random_below(1000000);
        write_all(ends[0], &number, sizeof number);
        MUST(read(ends[0], &number, sizeof number));
        sum += number;
    }
    printf("sum %u\n", sum);
    close(ends[0]);
    wait_for_children();
}
