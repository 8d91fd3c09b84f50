// Phenomenon: memory that held one kind of lock is freed, zeroed or overwritten, and holds another kind;
// some locks are never destroyed before their memory goes.
// Nondeterministic: the order at each lock, and the addresses, which are printed.
#include "team.h"
#include <semaphore.h>

union lock {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
    sem_t semaphore;
    char bytes[128];
};

static union lock *lock;
static int kind;
static struct history history;

static void *compete(void *number)
{
    for (int i = 0; i < rounds() / 16; i++) {
        switch (kind) {
        case 0: OK(pthread_mutex_lock(&lock->mutex)); break;
        case 1: OK(pthread_rwlock_wrlock(&lock->rwlock)); break;
        case 2: OK(pthread_spin_lock(&lock->spin)); break;
        default: MUST(sem_wait(&lock->semaphore));
        }
        add(&history, (long)number);
        switch (kind) {
        case 0: OK(pthread_mutex_unlock(&lock->mutex)); break;
        case 1: OK(pthread_rwlock_unlock(&lock->rwlock)); break;
        case 2: OK(pthread_spin_unlock(&lock->spin)); break;
        default: MUST(sem_post(&lock->semaphore));
        }
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    for (int round = 0; round < 16; round++) {
        kind = round % 4;
        lock = malloc(sizeof *lock);
        memset(lock, round % 3 ? 0 : 0xa5, sizeof *lock); // As a freed block is: full of something.
        switch (kind) {
        case 0: OK(pthread_mutex_init(&lock->mutex, NULL)); break;
        case 1: OK(pthread_rwlock_init(&lock->rwlock, NULL)); break;
        case 2: OK(pthread_spin_init(&lock->spin, 0)); break;
        default: MUST(sem_init(&lock->semaphore, 0, 1));
        }
        run_team(compete);
        if (kind == 0 && round % 8 == 0)
            OK(pthread_mutex_destroy(&lock->mutex));
        printf("%p ", (void *)lock);
        free(lock);
    }
    printf("\n");
    show("all", &history);
}
