// Phenomenon: a non-blocking pipe that is empty, then full, then broken (EAGAIN, EPIPE).
// Nondeterministic: how often the reader found nothing.
#include "../support.h"

int main(void)
{
    int ends[2], empty = 0;
    MUST(pipe2(ends, O_NONBLOCK));
    if (MUST(fork()) == 0) {
        close(ends[0]);
        for (int i = 0; i < 10; i++) {
            sleep_us(100);
            write_all(ends[1], "ten bytes!", 10);
        }
        _exit(0);
    }
    close(ends[1]);
    for (int total = 0; total < 100;) {
        char bytes[64];
        int got = read(ends[0], bytes, sizeof bytes);
        if (got > 0)
            total += got;
        else
            empty++, sleep_us(20);
    }
    wait_for_children();
    printf("empty %d times in %d\n", empty, getpid());

    MUST(pipe2(ends, O_NONBLOCK));
    long filled = 0, wrote;
    char block[1000] = "";
    while ((wrote = write(ends[1], block, sizeof block)) > 0)
        filled += wrote;
    printf("full after %ld bytes: %s\n", filled, strerror(errno));
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    wrote = write(ends[1], "x", 1);
    printf("broken: %ld %s\n", wrote, strerror(errno));
}
