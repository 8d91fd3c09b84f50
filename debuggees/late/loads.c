// Threads that count under pthread's locks, then load a library (first argument) and count with its function.
// Who gets which number is up to chance.
#include "../support.h"
#include <dlfcn.h>
#include <pthread.h>

enum { THREADS = 2, ROUNDS = 100, ACCESSES = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static unsigned count;
static uint32_t sums[THREADS];
static unsigned (*next_number)(void);

static void *count_here(void *number)
{
    for (int i = 0; i < ACCESSES; i++) {
        pthread_mutex_lock(&lock);
        count++;
        sums[(long)number] = checksum(sums[(long)number], &count, sizeof count);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

// Rounds, so that the threads meet even where one of them is slow to start.
static void *count_there(void *number)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < ACCESSES; i++) {
            unsigned got = next_number();
            sums[(long)number] = checksum(sums[(long)number], &got, sizeof got);
        }
    }
    return NULL;
}

static void run(void *(*routine)(void *))
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, routine, (void *)i))
            _exit(99);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argument_count, char **arguments)
{
    pthread_barrier_init(&barrier, NULL, THREADS);
    run(count_here);
    void *library = argument_count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (!library) {
        dprintf(2, "no library: %s\n", dlerror());
        return 99;
    }
    next_number = (unsigned (*)(void))dlsym(library, "next_number");
    run(count_there);
    say("%u here, then %08x and %08x of %d\n", count, sums[0], sums[1], getpid());
    return 0;
}
