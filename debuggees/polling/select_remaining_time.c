// Phenomenon: select writes back the time that was left; pselect with a mask.
// Nondeterministic: the time left when the child wrote.
#include "../support.h"
#include <sys/select.h>

int main(void)
{
    int ends[2];
    MUST(pipe(ends));
    if (MUST(fork()) == 0) {
        for (int i = 0; i < 3; i++) {
            sleep_us(500 + random_below(2000));
            write_all(ends[1], "x", 1);
        }
        _exit(0);
    }
    for (int i = 0; i < 3; i++) {
        fd_set readable;
        FD_ZERO(&readable);
        FD_SET(ends[0], &readable);
        struct timeval left = {0, 900000};
        int ready = MUST(select(ends[0] + 1, &readable, NULL, NULL, &left));
        char byte;
        MUST(read(ends[0], &byte, 1));
        printf("ready %d, left %ld us\n", ready, (long)left.tv_usec);
    }
    struct timespec short_time = {0, 200000};
    sigset_t all;
    sigfillset(&all);
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(ends[0], &readable);
    close(ends[1]);
    wait_for_children();
    printf("at the end: %d\n", pselect(ends[0] + 1, &readable, NULL, NULL, &short_time, &all));
}
