/* Programs to be debugged by the benchmark of the debugger, told apart by their first argument:
 *   ticks COUNT              calls tick() so often and says how many seconds that took
 *   processes COUNT THREADS  so many processes with so many threads each, all alive until killed
 *   threads COUNT            so many threads, each some calls deep, then all_here() */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

volatile uint64_t work;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline)) void tick(int number) {
    work += (uint64_t)number;
}

static int ticks(int count) {
    double began = now();
    for (int number = 0; number < count; number++)
        tick(number);
    printf("seconds: %.6f\n", now() - began);
    return 0;
}

/* Computes for a while, sleeps for a while: at any moment some run, some are ready and most sleep. */
static void *live(void *argument) {
    uint64_t turn = (uint64_t)(uintptr_t)argument;
    for (;;) {
        for (int step = 0; step < 20000; step++)
            work += turn;
        usleep(2000 + (useconds_t)(turn % 7) * 1000);
        turn++;
    }
    return NULL;
}

static int processes(int count, int threads) {
    pid_t parent = getpid();
    for (int process = 1; process < count; process++) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent)
                return 1;
            break;
        }
    }
    for (int thread = 1; thread < threads; thread++) {
        pthread_t id;
        if (pthread_create(&id, NULL, live, (void *)(uintptr_t)thread) != 0)
            return 1;
    }
    printf("up\n");
    fflush(stdout);
    live(NULL);
    return 0;
}

struct order {
    int number;
    char name[16];
    double weights[4];
    struct order *next;
};

static pthread_barrier_t barrier;

__attribute__((noinline)) static int wait_here(struct order *order, int depth) {
    char text[24];
    int sum = order->number + depth;
    snprintf(text, sizeof text, "%s/%d", order->name, sum);
    pthread_barrier_wait(&barrier);
    pause();
    return sum + text[0];
}

__attribute__((noinline)) static int descend(struct order *order, int depth) {
    struct order copy = *order;
    int before = depth * 2;
    copy.number += depth;
    copy.next = order;
    int result = depth == 0 ? wait_here(&copy, before) : descend(&copy, depth - 1);
    return result + before;
}

static void *worker(void *argument) {
    struct order order = {.number = (int)(intptr_t)argument, .weights = {0.5, 1.5, 2.5, 3.5}};
    snprintf(order.name, sizeof order.name, "worker %d", order.number);
    return (void *)(intptr_t)descend(&order, 5);
}

__attribute__((noinline)) void all_here(int count) {
    work += (uint64_t)count;
}

static int threads(int count) {
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (int thread = 1; thread < count; thread++) {
        pthread_t id;
        if (pthread_create(&id, NULL, worker, (void *)(intptr_t)thread) != 0)
            return 1;
    }
    pthread_barrier_wait(&barrier);
    all_here(count);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "ticks") == 0)
        return ticks(atoi(argv[2]));
    if (argc == 4 && strcmp(argv[1], "processes") == 0)
        return processes(atoi(argv[2]), atoi(argv[3]));
    if (argc == 3 && strcmp(argv[1], "threads") == 0)
        return threads(atoi(argv[2]));
    fprintf(stderr, "usage: debuggee ticks COUNT | processes COUNT THREADS | threads COUNT\n");
    return 2;
}
