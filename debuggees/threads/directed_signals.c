// Phenomenon: pthread_kill sends signals to chosen threads; others block them.
// Nondeterministic: thread ids, how often each thread was interrupted in its sleep.
#include "../support.h"
#include <pthread.h>

static __thread volatile sig_atomic_t hits;
static pthread_barrier_t ready;
static volatile int awake = 3;
static volatile int done[3];

static void on_signal(int number)
{
    (void)number;
    hits++;
}

static void *sleeper(void *argument)
{
    int interrupted = 0;
    pthread_barrier_wait(&ready);
    while (hits < 5) {
        struct timespec pause = {0, 2000000};
        interrupted += nanosleep(&pause, NULL) == -1;
    }
    done[(long)argument] = 1;
    __atomic_fetch_sub(&awake, 1, __ATOMIC_SEQ_CST);
    say("thread %ld (%d): %d hits, interrupted %d times\n", (long)argument, gettid(), (int)hits, interrupted);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    pthread_barrier_init(&ready, NULL, 4);
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, sleeper, (void *)i);
    pthread_barrier_wait(&ready);
    // Signals merge when they come too fast: go on until every thread has had its five.
    while (awake > 0) {
        for (int i = 0; i < 3; i++)
            if (!done[i])
                pthread_kill(threads[i], SIGUSR1);
        sleep_us(100);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    say("main was hit %d times\n", (int)hits);
}
