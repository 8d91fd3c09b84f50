// Phenomenon: readv and writev over a socketpair with records of random length.
// Nondeterministic: the lengths, and where readv cuts the stream.
#include "../support.h"

int main(void)
{
    int ends[2];
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    if (MUST(fork()) == 0) {
        close(ends[0]);
        char body[300];
        for (int i = 0; i < 30; i++) {
            uint16_t length = random_below(sizeof body);
            memset(body, 'a' + i % 26, sizeof body);
            struct iovec pieces[3] = {{&length, 2}, {body, length}, {NULL, 0}};
            MUST(writev(ends[1], pieces, 3));
        }
        _exit(0);
    }
    close(ends[1]);
    char head[5], middle[100], tail[1000];
    uint32_t sum = 0;
    for (;;) {
        struct iovec pieces[3] = {{head, sizeof head}, {middle, sizeof middle}, {tail, sizeof tail}};
        long got = MUST(readv(ends[0], pieces, 3));
        if (got == 0)
            break;
        sum = checksum(sum, head, got < 5 ? got : 5);
        printf("%ld ", got);
    }
    printf("%08x\n", sum);
    wait_for_children();
}
