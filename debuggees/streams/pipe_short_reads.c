// Phenomenon: a pipe delivers pieces of other sizes than were written.
// Nondeterministic: random sizes of the writes, and how the reads cut them.
#include "../support.h"

int main(void)
{
    int ends[2];
    MUST(pipe(ends));
    if (MUST(fork()) == 0) {
        char bytes[5000];
        memset(bytes, 'p', sizeof bytes);
        for (int i = 0; i < 60; i++) {
            write_all(ends[1], bytes, 1 + random_below(sizeof bytes));
            if (i % 7 == 0)
                sleep_us(50);
        }
        _exit(0);
    }
    close(ends[1]);
    char bytes[3000];
    long got, total = 0;
    while ((got = MUST(read(ends[0], bytes, sizeof bytes))) > 0) {
        printf("%ld ", got);
        total += got;
    }
    printf("= %ld\n", total);
    wait_for_children();
}
