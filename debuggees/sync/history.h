// What the C and C++ programs of this folder share: the size of the team, and the history of what it did.
//
// The number of threads is the first argument. Nothing is shared without a lock, so that the order of
// the locks is all that a replay needs; and that order is what each program prints.
#pragma once
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

enum { MOST_THREADS = 64, ACCESSES = 1920 };

static int team_size = 2;

// The number of threads from the command line: 2 without one, 64 at most.
static inline void read_team_size(int count, char **words)
{
    if (count > 1)
        team_size = atoi(words[1]);
    if (team_size < 2 || team_size > MOST_THREADS)
        _exit(99);
}

// How often each thread does its work: all threads together about ACCESSES times.
static inline int rounds(void)
{
    return ACCESSES / team_size;
}

// A little work that no lock sees, of random length; now and then the processor is given away.
static inline void idle(void)
{
    static __thread uint32_t state;
    if (state == 0 && getrandom(&state, sizeof state, 0) < 0)
        _exit(99);
    state = state * 1664525 + 1013904223;
    for (uint32_t i = 0; i < (state >> 8) % 3000; i++)
        __asm__ volatile("");
    if (state >> 27 == 0)
        sched_yield();
}

// Who did something, in order: to be used under the lock whose order it shows.
struct history {
    uint32_t sum;
    int length;
    char first[61];
};

static inline void add(struct history *history, int who)
{
    history->sum = (history->sum ^ (uint8_t)(who + 1)) * 16777619u;
    if (history->length < 60)
        history->first[history->length] = (char)(who < 26 ? 'a' + who : who < 52 ? 'A' + who - 26 : '0' + who % 10);
    history->length++;
}

static inline void show(const char *name, const struct history *history)
{
    printf("%s: %d, %08x, %s\n", name, history->length, history->sum, history->first);
}
