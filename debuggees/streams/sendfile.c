// Phenomenon: sendfile moves a file into a socket without passing through the program.
// Nondeterministic: the random contents of the file, and how much each call moved.
#include "../support.h"
#include <sys/sendfile.h>

enum { TOTAL = 400000 };

int main(void)
{
    static unsigned char bytes[TOTAL];
    for (int i = 0; i < TOTAL; i += 250)
        MUST(getrandom(bytes + i, 250, 0));
    FILE *file = tmpfile();
    fwrite(bytes, 1, TOTAL, file);
    fflush(file);
    int ends[2];
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    if (MUST(fork()) == 0) {
        close(ends[0]);
        off_t at = 0;
        int calls = 0;
        for (; at < TOTAL; calls++)
            MUST(sendfile(ends[1], fileno(file), &at, TOTAL - at));
        _exit(calls > 0 ? 0 : 1);
    }
    close(ends[1]);
    uint32_t sum = 0;
    long got, total = 0, reads = 0;
    char piece[7000];
    while ((got = MUST(read(ends[0], piece, sizeof piece))) > 0) {
        sum = checksum(sum, piece, got);
        total += got;
        reads++;
    }
    printf("%ld bytes, checksum %08x (%s), %ld reads\n", total, sum,
           sum == checksum(0, bytes, TOTAL) ? "right" : "WRONG", reads);
    wait_for_children();
}
