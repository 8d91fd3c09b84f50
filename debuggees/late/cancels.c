// A library that cancels a thread of its own, which waits in a read: what the program that loads it never asks for.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int never[2], ready[2];
static unsigned cleaned;

static void clean(void *unused)
{
    (void)unused;
    cleaned = 0x600d;
}

static void *wait_for_ever(void *unused)
{
    char byte;
    pthread_cleanup_push(clean, NULL);
    if (write(ready[1], "", 1) != 1 || read(never[0], &byte, 1) != 1)
        abort();
    pthread_cleanup_pop(0);
    return unused;
}

unsigned work(void)
{
    pthread_t thread;
    void *result = NULL;
    char byte;
    if (pipe(never) || pipe(ready) || pthread_create(&thread, NULL, wait_for_ever, NULL))
        abort();
    if (read(ready[0], &byte, 1) != 1)
        abort();
    // Most of the time it waits by now; if not, the call that it comes to is one that it can be cancelled in.
    usleep(2000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED ? cleaned : 0xbad;
}
