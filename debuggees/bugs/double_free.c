// Bug: double free by a race. Two owners drop a count that is not atomic, and both find it at zero.
// Pattern: the reference count of a cache entry, Apache bug 21287.
// Fails with status 1 when one block then has two owners.
#include "bug.h"

struct entry {
    char bytes[56];
    volatile int owners;
};

static struct entry *entry;
static void *got[2];

static void *drop(void *argument)
{
    int me = (int)(long)argument;
    dawdle(30);
    entry->owners--;
    dawdle(30);
    if (entry->owners == 0)
        free(entry);
    dawdle(50);
    got[me] = malloc(sizeof *entry);
    return NULL;
}

int main(void)
{
    entry = calloc(1, sizeof *entry);
    entry->owners = 2;
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, drop, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%p %p\n", got[0], got[1]);
    return got[0] == got[1] ? WRONG : 0;
}
