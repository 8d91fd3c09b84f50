// A library that makes threads itself, which number what they do under a lock of pthread's or, with BY_HAND, by atomics.
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 4, NUMBERS = 2000 };

static unsigned last;
static unsigned sums[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned next_number(void)
{
#ifdef BY_HAND
    return __atomic_add_fetch(&last, 1, __ATOMIC_SEQ_CST);
#else
    pthread_mutex_lock(&lock);
    unsigned next = ++last;
    pthread_mutex_unlock(&lock);
    return next;
#endif
}

static void *number(void *place)
{
    unsigned *sum = place;
    for (int i = 0; i < NUMBERS; i++) {
        *sum = *sum * 31 + next_number();
    }
    return NULL;
}

unsigned work(void)
{
    pthread_t threads[THREADS];
    unsigned sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, number, &sums[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum = sum * 31 + sums[i];
    }
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return sum;
}
