#include <pthread.h>
#include <unistd.h>

volatile long counts[3];
volatile int stop;

static void *spin(void *argument)
{
    long n = (long)argument;
    while (!stop)
        counts[n]++;
    return NULL;
}

static void mark(int i)
{
    counts[0] = i;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, spin, (void *)(i + 1));
    while (counts[1] == 0 || counts[2] == 0)
        usleep(1000);
    for (int i = 0; i < 5; i++)
        mark(i);
    stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
