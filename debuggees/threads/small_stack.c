// Phenomenon: threads with the smallest stacks, using much of them.
// Nondeterministic: thread ids, random sizes on the stack.
#include "../support.h"
#include <alloca.h>
#include <limits.h>
#include <pthread.h>

static void *use_stack(void *argument)
{
    size_t size = 1000 + random_below(2000);
    volatile char *bytes = alloca(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = i;
    sched_yield();
    char line[64];
    int length = snprintf(line, sizeof line, "thread %ld (%d) used %zu\n", (long)argument, gettid(), size);
    MUST(write(1, line, length));
    return (void *)(long)bytes[size / 2];
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    int result = pthread_attr_setstacksize(&attributes, 16384);
    printf("16 KiB stacks: %d (minimum %ld)\n", result, (long)PTHREAD_STACK_MIN);
    fflush(stdout);
    pthread_t threads[5];
    for (long i = 0; i < 5; i++)
        pthread_create(&threads[i], &attributes, use_stack, (void *)i);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
}
