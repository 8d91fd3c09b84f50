// Phenomenon: threads that compute for different times meet at a barrier of their own, which waits in a loop of a few
// instructions; the code that computes lies beside it and has the same frame.
// Nondeterministic: the order of arrivals.
#include "../support.h"
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 25 };

static _Atomic int arrived, sense, position;
static char order[THREADS * ROUNDS + 1];

static void meet(int *mine)
{
    *mine = !*mine;
    if (arrived++ == THREADS - 1) {
        arrived = 0;
        sense = *mine;
    } else {
        while (sense != *mine)
            __builtin_ia32_pause();
    }
}

static void *run(void *number)
{
    long who = (long)number;
    unsigned value = who;
    int mine = 0;
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < 40000 + who * 20000; k++)
            value = value * 1103515245 + 12345;
        order[position++] = 'a' + who;
        meet(&mine);
    }
    return (void *)(long)value;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", order);
}
