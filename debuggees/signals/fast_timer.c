// Phenomenon: a timer fires faster than its handler returns; the handler never runs inside itself.
// Nondeterministic: how often the timer overran.
#include "../support.h"

enum { RUNS = 300 };

static timer_t timer;
static volatile int runs, depth, deepest, overruns;

static void fired(int signal) {
    (void)signal;
    sigset_t waiting;
    if (++depth > deepest)
        deepest = depth;
    sigpending(&waiting);
    overruns += timer_getoverrun(timer);
    if (++runs == RUNS) {
        struct itimerspec off = {0};
        timer_settime(timer, 0, &off, NULL);
    }
    depth--;
}

int main(void) {
    struct sigaction action = {.sa_handler = fired};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec fast = {{0, 1000}, {0, 1000}};
    sigemptyset(&action.sa_mask);
    sigaction(SIGRTMIN, &action, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &fast, NULL);
    while (runs < RUNS) {
        struct timespec pause = {0, 10000000};
        nanosleep(&pause, NULL);
    }
    printf("%d at once, %d overruns\n", deepest, overruns);
    return deepest == 1 ? 0 : 98;
}
