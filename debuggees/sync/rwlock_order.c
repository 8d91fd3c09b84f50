// Phenomenon: a read-write lock: one thread of four writes, the others read.
// Nondeterministic: which versions each reader sees, the order of the writers.
#include "team.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct history history;
static uint32_t seen[MOST_THREADS];

static void *work(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds(); i++) {
        if (who % 4 == 0) {
            OK(pthread_rwlock_wrlock(&lock));
            add(&history, who);
        } else {
            OK(pthread_rwlock_rdlock(&lock));
            seen[who] = checksum(seen[who], &history.length, sizeof history.length);
        }
        OK(pthread_rwlock_unlock(&lock));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(work);
    show("writers", &history);
    for (int i = 0; i < team_size; i++)
        printf("%08x ", seen[i]);
    printf("\n");
    OK(pthread_rwlock_destroy(&lock));
}
