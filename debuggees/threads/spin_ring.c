// Phenomenon: one thread hands numbers to another through a ring, without locks and calls; each waits in a loop, by a
// function that it calls, while the ring is full or empty.
// Nondeterministic: how often each had to wait, and the time.
#include "../support.h"
#include <pthread.h>

enum { ROOM = 16, ITEMS = 3000 };

static _Atomic long made, taken;
static long ring[ROOM];
static int full, empty;

static __attribute__((noinline)) int is_full(void) { return made - taken == ROOM; }

static long mixed(long value)
{
    for (int i = 0; i < 600; i++)
        value = value * 6364136223846793005 + 1442695040888963407;
    return value;
}

static void *make(void *argument)
{
    for (long i = 0; i < ITEMS; i++) {
        full += is_full();
        while (is_full())
            ;
        ring[made % ROOM] = mixed(i);
        made++;
    }
    return argument;
}

int main(void)
{
    pthread_t maker;
    unsigned long sum = 0;
    pthread_create(&maker, NULL, make, NULL);
    for (long i = 0; i < ITEMS; i++) {
        empty += made == taken;
        while (made == taken)
            ;
        sum += mixed(ring[taken % ROOM]);
        taken++;
    }
    pthread_join(maker, NULL);
    printf("%lu, full %d times, empty %d times, %lld ns\n", sum, full, empty, now_ns());
}
