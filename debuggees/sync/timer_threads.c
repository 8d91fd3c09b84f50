// Phenomenon: timers whose expirations libc tells by threads of its own, taken away while some are on their way.
// Nondeterministic: when they expire, and where that is among what the others do.
#include "team.h"
#include <semaphore.h>

enum { TIMERS = 3, STEPS = 60, AWAITED = 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history steps;
static sem_t expirations;

static void note(int who)
{
    OK(pthread_mutex_lock(&mutex));
    add(&steps, who);
    OK(pthread_mutex_unlock(&mutex));
}

static void expired(union sigval number)
{
    note(number.sival_int);
    MUST(sem_post(&expirations));
}

static void *work(void *number)
{
    for (int i = 0; i < STEPS; i++) {
        note(TIMERS + (int)(long)number);
        sleep_us(20);
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    MUST(sem_init(&expirations, 0, 0));
    timer_t timers[TIMERS];
    for (int i = 0; i < TIMERS; i++) {
        struct sigevent how = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired};
        how.sigev_value.sival_int = i;
        MUST(timer_create(CLOCK_MONOTONIC, &how, &timers[i]));
        struct itimerspec when = {{0, 1000000}, {0, 2000000 + i * 300000}};
        MUST(timer_settime(timers[i], 0, &when, NULL));
    }
    pthread_t threads[MOST_THREADS];
    for (long i = 0; i < team_size; i++)
        OK(pthread_create(&threads[i], NULL, work, (void *)i));
    for (int i = 0; i < AWAITED; i++)
        MUST(sem_wait(&expirations));
    for (int i = 0; i < team_size; i++)
        OK(pthread_join(threads[i], NULL));
    for (int i = 0; i < TIMERS; i++)
        MUST(timer_delete(timers[i]));
    OK(pthread_mutex_lock(&mutex));
    show("steps", &steps);
    fflush(stdout);
    // Threads of libc's may still be on their way to the mutex.
    _exit(0);
}
