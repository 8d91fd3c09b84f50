// Phenomenon: a program with a malloc, a lock and a read of its own, which count and go on to the next ones (RTLD_NEXT).
// Nondeterministic: process id, addresses.
#include "../support.h"
#include <dlfcn.h>
#include <pthread.h>

static int allocations, locks, reads;

void *malloc(size_t size)
{
    static void *(*next)(size_t);
    if (!next)
        next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    allocations++;
    return next(size);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*next)(pthread_mutex_t *);
    if (!next)
        next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    locks++;
    return next(mutex);
}

ssize_t read(int from, void *into, size_t size)
{
    static ssize_t (*next)(int, void *, size_t);
    if (!next)
        next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    reads++;
    return next(from, into, size);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&mutex);
        void *volatile block = malloc(100); // not to be optimised away
        free(block);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    int pipes[2];
    char byte;
    pthread_t thread;
    MUST(pipe(pipes));
    MUST(write(pipes[1], "x", 1));
    MUST(read(pipes[0], &byte, 1));
    void *volatile block = malloc(100);
    say("%p of %d\n", block, getpid());
    work(NULL);
    if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
        return 99;
    say("%d locks, %d reads\n", locks, reads);
    return allocations < 200 || locks < 200 || reads != 1 ? 98 : 0;
}
