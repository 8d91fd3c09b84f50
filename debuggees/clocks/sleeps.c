// Phenomenon: sleeps of every kind, some interrupted with time left.
// Nondeterministic: the time left and the time that passed.
#include "../support.h"

static void on_alarm(int number)
{
    (void)number;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < 3; i++) {
        struct itimerval soon = {{0, 0}, {0, 1000 + random_below(2000)}};
        setitimer(ITIMER_REAL, &soon, NULL);
        struct timespec pause = {0, 500000000}, left = {0, 0};
        int result = i == 1 ? clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, &left) : nanosleep(&pause, &left);
        printf("interrupted (%d) with %ld ns left\n", result, left.tv_nsec);
    }
    long long start_ns = now_ns();
    usleep(1000);
    printf("usleep took %lld ns\n", now_ns() - start_ns);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec = (until.tv_nsec + 2000000) % 1000000000;
    until.tv_sec += until.tv_nsec < 2000000;
    printf("until: %d\n", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL));
    printf("sleep(0): %u, took %lld ns in all\n", sleep(0), now_ns() - start_ns);
}
