// Phenomenon: poll over the pipes of several children, with a timeout that sometimes expires.
// Nondeterministic: which pipe is ready when, and the number of timeouts.
#include "../support.h"
#include <poll.h>

enum { CHILDREN = 5 };

int main(void)
{
    struct pollfd watched[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
        int ends[2];
        MUST(pipe(ends));
        if (MUST(fork()) == 0) {
            for (int n = 0; n < 4; n++) {
                sleep_us(random_below(3000));
                write_all(ends[1], "abc", 1 + n % 3);
            }
            _exit(0);
        }
        close(ends[1]);
        watched[i] = (struct pollfd){ends[0], POLLIN, 0};
    }
    int timeouts = 0;
    for (int open_count = CHILDREN; open_count > 0;) {
        int ready = MUST(poll(watched, CHILDREN, 1));
        timeouts += ready == 0;
        for (int i = 0; i < CHILDREN; i++) {
            if (watched[i].revents & (POLLIN | POLLHUP)) {
                char bytes[16];
                long got = MUST(read(watched[i].fd, bytes, sizeof bytes));
                printf("%d:%ld ", i, got);
                if (got == 0) {
                    close(watched[i].fd);
                    watched[i].fd = -1;
                    open_count--;
                }
            }
        }
    }
    printf("\n%d timeouts\n", timeouts);
    wait_for_children();
}
