// Phenomenon: sixteen threads start at a barrier and print in the order in which they arrive.
// Nondeterministic: that order, and who is the barrier's chosen one.
#include "../support.h"
#include <pthread.h>

static pthread_barrier_t barrier;
static int arrivals;

static void *arrive(void *argument)
{
    int chosen = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    int place = __atomic_fetch_add(&arrivals, 1, __ATOMIC_SEQ_CST);
    say("thread %ld is number %d%s\n", (long)argument, place, chosen ? ", chosen" : "");
    return NULL;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 16);
    pthread_t threads[16];
    for (long i = 0; i < 16; i++)
        pthread_create(&threads[i], NULL, arrive, (void *)i);
    for (int i = 0; i < 16; i++)
        pthread_join(threads[i], NULL);
    say("pid %d\n", getpid());
}
