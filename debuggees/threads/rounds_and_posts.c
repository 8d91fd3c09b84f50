// Phenomenon: a semaphore with a known history, a barrier with a known number of rounds, and two threads that wait
// for a mutex which a third one has.
// Nondeterministic: who arrives when, who of the two is first, and how long all takes, which is printed.
#include "../support.h"
#include <pthread.h>
#include <semaphore.h>

enum { MEMBERS = 3, ROUNDS = 4, HELD_MS = 200 };

static sem_t items;
static pthread_barrier_t meeting;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static void *produce(void *nothing)
{
    for (int i = 0; i < 5; i++)
        MUST(sem_post(&items));
    return nothing;
}

static void *meet(void *nothing)
{
    for (int i = 0; i < ROUNDS; i++)
        pthread_barrier_wait(&meeting);
    return nothing;
}

static void *queue_up(void *nothing)
{
    pthread_mutex_lock(&table);
    usleep(HELD_MS * 500);
    pthread_mutex_unlock(&table);
    return nothing;
}

static void run(int count, void *(*routine)(void *), void (*meanwhile)(void))
{
    pthread_t threads[MEMBERS];
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, routine, NULL);
    if (meanwhile)
        meanwhile();
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void hold(void)
{
    usleep(HELD_MS * 1000);
    pthread_mutex_unlock(&table);
}

int main(void)
{
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    MUST(sem_init(&items, 0, 0));
    run(1, produce, NULL);
    for (int i = 0; i < 5; i++)
        MUST(sem_wait(&items));
    MUST(sem_post(&items));
    MUST(sem_post(&items));
    MUST(sem_wait(&items));
    pthread_barrier_init(&meeting, NULL, MEMBERS);
    run(MEMBERS, meet, NULL);
    pthread_mutex_lock(&table);
    run(2, queue_up, hold);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("%ld ns\n", (ended.tv_sec - began.tv_sec) * 1000000000 + ended.tv_nsec - began.tv_nsec);
    return 0;
}
