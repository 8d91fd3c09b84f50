// Phenomenon: threads that computed for so long that they were asked for their turn leave at any moment around the
// signals that ask for it, when nothing of them is left on which a handler could run.
// Nondeterministic: in which order they leave.
#include "../support.h"
#include <pthread.h>

enum { ROUNDS = 4, THREADS = 12 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[ROUNDS * THREADS + 1];
static int left;
// Waited for by hand: the program is recorded serially.
static int ready;

static void *work(void *argument)
{
    int number = (int)(long)argument;
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 0) {
        __builtin_ia32_pause();
    }
    // From less than a slice to several, by little steps.
    unsigned value = 1;
    for (unsigned i = 0; i < 4000000u + (unsigned)number * 1500000u; i++) {
        value = value * 1664525u + 1013904223u;
    }
    pthread_mutex_lock(&lock);
    order[left++] = (char)('a' + number + (value == 2 ? 1 : 0));
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        __atomic_store_n(&ready, 0, __ATOMIC_RELEASE);
        for (long i = 0; i < THREADS; i++) {
            pthread_create(&threads[i], NULL, work, (void *)i);
        }
        __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    say("%s\n", order);
}
