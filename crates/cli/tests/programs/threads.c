#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
int sum;

static void *work(void *argument)
{
    long number = (long)argument;
    pthread_barrier_wait(&barrier);
    __atomic_add_fetch(&sum, number, __ATOMIC_SEQ_CST);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void all_here(void)
{
    printf("sum %d\n", sum);
}

int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 4);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    pthread_barrier_wait(&barrier);
    all_here();
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
