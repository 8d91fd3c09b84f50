// Phenomenon: threads that compute for long and tell each other about it under a lock that is mostly free: they
// make no system call for many slices of time, and their turns end between two locks.
// Nondeterministic: who comes when, and what a counter without a lock says then.
#include "../support.h"
#include <pthread.h>

enum { THREADS = 3, SHORT_ROUNDS = 40, LONG_ROUNDS = 2, ENTRIES = THREADS * (SHORT_ROUNDS + LONG_ROUNDS) };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[ENTRIES + 1];
static int entries;
// Changed without a lock.
static volatile unsigned racy;
// Waited for by hand: the program is recorded serially.
static int ready;

static unsigned compute(unsigned value, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        value = value * 1664525u + 1013904223u;
    }
    return value;
}

static void note(int number, unsigned value)
{
    pthread_mutex_lock(&lock);
    order[entries++] = (char)('a' + number + (value == 1 ? 1 : 0));
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    int number = (int)(long)argument;
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 0) {
        __builtin_ia32_pause();
    }
    unsigned seen = racy;
    for (int i = 0; i < SHORT_ROUNDS; i++) {
        unsigned value = compute(number, 1000000);
        note(number, value);
        racy = seen = seen * 31 + racy + value;
    }
    for (int i = 0; i < LONG_ROUNDS; i++) {
        note(number, compute(number, 30000000));
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    say("%s %u\n", order, racy);
}
