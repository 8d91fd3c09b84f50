// Phenomenon: rand and random, whose state all threads share.
// Nondeterministic: who gets which number.
#include "team.h"

static uint32_t sums[MOST_THREADS];

static void *draw(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds(); i++) {
        long value = i % 2 ? rand() : random();
        sums[who] = checksum(sums[who], &value, sizeof value);
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    srand(42);
    run_team(draw);
    for (int i = 0; i < team_size; i++)
        printf("%08x ", sums[i]);
    printf("\n");
}
