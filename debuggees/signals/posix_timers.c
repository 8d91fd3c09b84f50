// Phenomenon: POSIX timers that send real-time signals, with overruns.
// Nondeterministic: how many expirations the program sees and how late.
#include "../support.h"

static volatile sig_atomic_t fired, overruns;
static timer_t timer;

static void on_timer(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    fired++;
    overruns += timer_getoverrun(timer);
    (void)info;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
    sigaction(SIGRTMIN, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 5};
    MUST(timer_create(CLOCK_MONOTONIC, &event, &timer));
    struct itimerspec every = {{0, 400000}, {0, 400000}}, left;
    MUST(timer_settime(timer, 0, &every, NULL));
    long calls = 0;
    while (fired < 12) {
        getppid();
        calls++;
    }
    MUST(timer_gettime(timer, &left));
    MUST(timer_delete(timer));
    printf("%d fired, %d overruns, %ld calls, %ld ns left\n", (int)fired, (int)overruns, calls, left.it_value.tv_nsec);
}
