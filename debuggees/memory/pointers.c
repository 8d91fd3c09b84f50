// Phenomenon: a program that prints addresses: heap, stack, mappings, libraries, other threads' stacks.
// Nondeterministic: the addresses (when the layout is random), sizes chosen at random.
#include "../support.h"
#include <pthread.h>

static void *thread(void *argument)
{
    int local;
    say("thread stack %p, argument %p, self %lx\n", (void *)&local, argument, (unsigned long)pthread_self());
    return malloc(100);
}

int main(void)
{
    int local;
    void *big = malloc(1 << 20), *random_size = malloc(1 + random_below(100000)), *next = malloc(64);
    void *mapping = mmap(NULL, 4096 * (1 + random_below(100)), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *second = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    say("stack %p\nheap %p %p\nbig %p\nmappings %p %p\n", (void *)&local, random_size, next, big, mapping, second);
    say("code %p, libc %p, break %p, pid %d\n", (void *)main, (void *)(uintptr_t)printf, sbrk(0), getpid());
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, &local);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        say("thread %d allocated %p\n", i, result);
    }
}
