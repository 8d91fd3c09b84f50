// What the programs of this folder share: two threads, the window of a bug, and a watchdog for those that end in
// a standstill.
#pragma once
#include "../support.h"
#include <pthread.h>

enum { STUCK = 42, WRONG = 1 };

static void stuck(int signal)
{
    (void)signal;
    static const char text[] = "stuck\n";
    write_all(1, text, sizeof text - 1);
    _exit(STUCK);
}

static inline void watch_out(void)
{
    struct itimerval limit = {.it_value = {.tv_usec = 200000}};
    signal(SIGALRM, stuck);
    MUST(setitimer(ITIMER_REAL, &limit, NULL));
}

// What a real program does in the window of its bug: something that takes a while, mostly not long.
static inline void dawdle(unsigned us)
{
    sleep_us(random_below(us + 1));
}

static inline void run_two(void *(*first)(void *), void *(*second)(void *), void *argument)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, argument);
    pthread_create(&threads[1], NULL, second, argument);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
