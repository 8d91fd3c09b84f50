// Phenomenon: pthread_cancel of a thread blocked in read, with clean-up handlers.
// Nondeterministic: how much it had read before, the thread ids.
#include "../support.h"
#include <pthread.h>

static int ends[2], count;

static void clean_up(void *argument)
{
    say("clean-up in %d after %d bytes (%s)\n", gettid(), count, (char *)argument);
}

static void *read_for_ever(void *argument)
{
    pthread_cleanup_push(clean_up, argument);
    for (;;) {
        char byte;
        if (read(ends[0], &byte, 1) == 1)
            count++;
    }
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void)
{
    MUST(pipe(ends));
    for (int round = 0; round < 2; round++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, read_for_ever, round ? "second" : "first");
        for (int i = 0; i < 20; i++)
            write_all(ends[1], "x", 1);
        sleep_us(random_below(300));
        pthread_cancel(thread);
        pthread_join(thread, &result);
        say("cancelled: %s\n", result == PTHREAD_CANCELED ? "yes" : "no");
    }
}
