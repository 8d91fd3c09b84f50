// Phenomenon: a loop that only looks at clocks gets its signals all the same.
// Nondeterministic: process id, how often it looks before each one comes.
#include "../support.h"

static volatile sig_atomic_t strikes;

static void strike(int signal)
{
    strikes += signal == SIGALRM;
}

int main(void)
{
    struct sigaction action = {.sa_handler = strike};
    struct itimerval timer = {{0, 4000}, {0, 4000}};
    MUST(sigaction(SIGALRM, &action, NULL));
    MUST(setitimer(ITIMER_REAL, &timer, NULL));
    uint32_t sum = 0;
    long looks = 0;
    for (int seen = 0; seen < 5;) {
        long long now = now_ns();
        looks++;
        if (strikes > seen) {
            seen = strikes;
            sum = checksum(sum, &now, sizeof now);
            sum = checksum(sum, &looks, sizeof looks);
        }
    }
    say("%08x after %ld looks of %d\n", sum, looks, getpid());
    return 0;
}
