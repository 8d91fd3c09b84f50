// Phenomenon: threads increment a counter without any lock.
// Nondeterministic: how many increments are lost.
#include "../support.h"
#include <pthread.h>

static volatile int counter;

static void *increment(void *argument)
{
    for (int i = 0; i < 2000; i++) {
        int seen = counter;
        if (i % 50 == 0)
            getppid(); // An event in the middle: the place where another thread may come in.
        counter = seen + 1;
    }
    return argument;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d of 8000, pid %d\n", counter, getpid());
}
