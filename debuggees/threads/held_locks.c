// Phenomenon: a thread holds a mutex, then a read-write lock, while another waits for it; and a wait on a
// condition that nobody signals.
// Nondeterministic: how long each takes, which is printed.
#include "../support.h"
#include <pthread.h>
#include <semaphore.h>

enum { HELD_MS = 300, IDLE_MS = 100 };

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t book = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static sem_t taken, about_to_wait;

static struct timespec now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time;
}

static void hold(void)
{
    MUST(sem_post(&taken));
    MUST(sem_wait(&about_to_wait));
    usleep(HELD_MS * 1000);
}

static void meet(void)
{
    MUST(sem_wait(&taken));
    MUST(sem_post(&about_to_wait));
}

static void *holder(void *nothing)
{
    pthread_mutex_lock(&table);
    hold();
    pthread_mutex_unlock(&table);
    pthread_rwlock_wrlock(&book);
    hold();
    pthread_rwlock_unlock(&book);
    return nothing;
}

static void *waiter(void *nothing)
{
    meet();
    pthread_mutex_lock(&table);
    pthread_mutex_unlock(&table);
    meet();
    pthread_rwlock_rdlock(&book);
    pthread_rwlock_unlock(&book);
    return nothing;
}

int main(void)
{
    struct timespec began = now(CLOCK_MONOTONIC), until;
    pthread_t threads[2];
    MUST(sem_init(&taken, 0, 0));
    MUST(sem_init(&about_to_wait, 0, 0));
    pthread_create(&threads[0], NULL, holder, NULL);
    pthread_create(&threads[1], NULL, waiter, NULL);
    until = now(CLOCK_REALTIME);
    until.tv_nsec += IDLE_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&idle_lock);
    while (pthread_cond_timedwait(&idle, &idle_lock, &until) == 0)
        ;
    pthread_mutex_unlock(&idle_lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    struct timespec ended = now(CLOCK_MONOTONIC);
    printf("%ld ns\n", (ended.tv_sec - began.tv_sec) * 1000000000 + ended.tv_nsec - began.tv_nsec);
    return 0;
}
