// Phenomenon: threads give memory back to the kernel (malloc_trim), which goes through the arenas of all others, and ask how much
// there is (mallinfo2).
// Nondeterministic: which addresses who gets, which are printed.
#include "team.h"
#include <malloc.h>

static uint32_t sums[MOST_THREADS];

static void *work(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 8; i++) {
        void *blocks[16];
        for (int k = 0; k < 16; k++) {
            blocks[k] = malloc(2000 + (size_t)(i * 37 + k * 1000) % 9000);
            sums[who] = checksum(sums[who], &blocks[k], sizeof blocks[k]);
        }
        for (int k = 0; k < 16; k++)
            free(blocks[k]);
        if (i % 4 == 1)
            malloc_trim(0);
        if (i % 8 == 3) {
            size_t used = mallinfo2().uordblks;
            sums[who] = checksum(sums[who], &used, sizeof used);
        }
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(work);
    for (int i = 0; i < team_size; i++)
        printf("%d: %08x\n", i, sums[i]);
    return 0;
}
