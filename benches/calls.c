/*
 * calls KIND: prints what one call costs, in nanoseconds.
 *
 *   pipe    write and read of one byte on a pipe, through libc (a patched site when recorded)
 *   clock   clock_gettime
 *   direct  read of one byte from a pipe by a syscall instruction of this program's own, which no table
 *           of sites knows
 *
 * The median of several batches is printed, so that a batch that was preempted does not count.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 21, CALLS = 2000 };

static int ends[2];
static char bytes[CALLS];

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

/* A pair of calls, so the time of a batch is that of 2 * CALLS. */
static double pipe_batch(void) {
    double began = now_ns();
    for (int call = 0; call < CALLS; call++) {
        char byte = (char)call;
        if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
            give_up("pipe");
    }
    return (now_ns() - began) / (2.0 * CALLS);
}

static double clock_batch(void) {
    struct timespec time;
    double began = now_ns();
    for (int call = 0; call < CALLS; call++)
        clock_gettime(CLOCK_MONOTONIC, &time);
    return (now_ns() - began) / CALLS;
}

static long direct_read(int descriptor, char *into) {
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_read), "D"((long)descriptor), "S"(into), "d"(1L)
                     : "rcx", "r11", "memory");
    return result;
}

static double direct_batch(void) {
    if (write(ends[1], bytes, CALLS) != CALLS)
        give_up("pipe");
    char byte;
    double began = now_ns();
    for (int call = 0; call < CALLS; call++)
        if (direct_read(ends[0], &byte) != 1)
            give_up("direct read");
    return (now_ns() - began) / CALLS;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int count, char **words) {
    double (*batch)(void) = NULL;
    if (count == 2 && strcmp(words[1], "pipe") == 0)
        batch = pipe_batch;
    else if (count == 2 && strcmp(words[1], "clock") == 0)
        batch = clock_batch;
    else if (count == 2 && strcmp(words[1], "direct") == 0)
        batch = direct_batch;
    if (batch == NULL) {
        fprintf(stderr, "usage: calls pipe|clock|direct\n");
        return 2;
    }
    if (pipe(ends) != 0)
        give_up("pipe");
    double times[BATCHES];
    batch(); /* warms the caches */
    for (int index = 0; index < BATCHES; index++)
        times[index] = batch();
    qsort(times, BATCHES, sizeof times[0], ascending);
    printf("%.1f\n", times[BATCHES / 2]);
    return 0;
}
