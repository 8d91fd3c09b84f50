// Phenomenon: malloc, calloc, realloc, memalign and free by many threads; blocks freed by other threads.
// Nondeterministic: which addresses who gets, which are printed.
#include "team.h"
#include <malloc.h>

enum { SHELF = 32 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *shelf[SHELF];
static uint32_t sums[MOST_THREADS];
static void *last[MOST_THREADS];

static void *allocate(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 2; i++) {
        size_t size = 16 + (size_t)(who * 40 + i * 24) % 1500;
        if (i % 100 == 7)
            size = 300000; // From mmap.
        void *block = i % 4 == 0 ? calloc(1, size) : i % 4 == 1 ? memalign(64, size) : malloc(size);
        if (i % 4 == 2)
            block = realloc(block, size * 2);
        memset(block, i, 16);
        sums[who] = checksum(sums[who], &block, sizeof block);
        last[who] = block;
        OK(pthread_mutex_lock(&mutex));
        void *old = shelf[i % SHELF];
        shelf[i % SHELF] = block;
        OK(pthread_mutex_unlock(&mutex));
        free(old);
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(allocate);
    for (int i = 0; i < team_size; i++)
        printf("%08x %p\n", sums[i], last[i]);
    for (int i = 0; i < SHELF; i++)
        free(shelf[i]);
}
