// Phenomenon: printf from several threads through one buffered stream.
// Nondeterministic: how their lines interleave.
#include "../support.h"
#include <pthread.h>

static void *print(void *argument)
{
    for (int i = 0; i < 40; i++) {
        printf("thread %ld line %d\n", (long)argument, i);
        if (i % 8 == 0)
            fflush(stdout);
        if (i % 16 == 0)
            fprintf(stderr, "thread %ld to the error stream\n", (long)argument);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, print, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("pid %d\n", getpid());
}
