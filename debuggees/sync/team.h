// A team of threads for the C programs of this folder.
#pragma once
#include "../support.h"
#include "history.h"
#include <pthread.h>

// Ends the program when a function of pthread's, which returns its error, does not give `wanted`.
#define GIVES(wanted, call) gives(wanted, call, #call, __LINE__)
#define OK(call) GIVES(0, call)

static inline void gives(int wanted, int came, const char *call, int line)
{
    if (wanted != came) {
        dprintf(2, "line %d: %s: %d instead of %d\n", line, call, came, wanted);
        _exit(99);
    }
}

// Runs a function in every thread of the team, with its number as argument, and waits for them.
static inline void run_team(void *(*run)(void *))
{
    pthread_t threads[MOST_THREADS];
    for (long i = 0; i < team_size; i++)
        OK(pthread_create(&threads[i], NULL, run, (void *)i));
    for (int i = 0; i < team_size; i++)
        OK(pthread_join(threads[i], NULL));
}

// A moment `us` microseconds from now on a clock.
static inline struct timespec moment(clockid_t clock, long us)
{
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_nsec += us * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

// A checksum of all that a file holds.
static inline uint32_t checksum_of(FILE *file)
{
    char text[16];
    uint32_t sum = 0;
    rewind(file);
    while (fgets(text, sizeof text, file))
        sum = checksum(sum, text, strlen(text));
    return sum;
}
