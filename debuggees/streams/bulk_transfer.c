// Phenomenon: eight megabytes that cannot be compressed flow between two recorded processes.
// Nondeterministic: the seed, hence every byte; how the reads cut the stream.
#include "../support.h"

enum { TOTAL = 8 << 20, PIECE = 64 << 10 };

int main(void)
{
    int ends[2];
    MUST(pipe(ends));
    if (MUST(fork()) == 0) {
        close(ends[0]);
        static uint64_t words[PIECE / 8];
        uint64_t state = ((uint64_t)random_below(1u << 31) << 20) | 1;
        for (int sent = 0; sent < TOTAL; sent += PIECE) {
            for (int i = 0; i < PIECE / 8; i++) {
                state ^= state << 13, state ^= state >> 7, state ^= state << 17;
                words[i] = state;
            }
            write_all(ends[1], words, PIECE);
        }
        _exit(0);
    }
    close(ends[1]);
    static char bytes[PIECE];
    uint32_t sum = 0;
    long got, total = 0, reads = 0;
    while ((got = MUST(read(ends[0], bytes, sizeof bytes))) > 0) {
        sum = checksum(sum, bytes, got);
        total += got;
        reads++;
    }
    printf("%ld bytes, checksum %08x, %ld reads\n", total, sum, reads);
    wait_for_children();
}
