// Phenomenon: one thread after the other uses a read-write lock and a semaphore ten thousand times in a row,
// while the others come now and then.
// Nondeterministic: the order of the rows and of the writers, which versions each reader sees.
#include "team.h"
#include <semaphore.h>

enum { ROW = 10000, ROWS = 24, VISITS = 8 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t places;
static struct history history;
static uint32_t seen[MOST_THREADS];

static void look(long who)
{
    OK(pthread_rwlock_rdlock(&lock));
    seen[who] = checksum(seen[who], &history.length, sizeof history.length);
    OK(pthread_rwlock_unlock(&lock));
    MUST(sem_wait(&places));
    MUST(sem_post(&places));
}

static void *work(void *number)
{
    long who = (long)number;
    for (int row = 0; row <= ROWS / team_size; row++) {
        OK(pthread_mutex_lock(&turn));
        for (int i = 0; i < ROW; i++)
            look(who);
        OK(pthread_mutex_unlock(&turn));
        for (int i = 0; i < VISITS; i++) {
            idle();
            look(who);
        }
        OK(pthread_rwlock_wrlock(&lock));
        add(&history, who);
        OK(pthread_rwlock_unlock(&lock));
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    MUST(sem_init(&places, 0, MOST_THREADS));
    run_team(work);
    show("rows", &history);
    for (int i = 0; i < team_size; i++)
        printf("%08x ", seen[i]);
    printf("\n");
}
