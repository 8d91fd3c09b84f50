// Phenomenon: sigwait, sigwaitinfo and sigtimedwait take blocked signals without a handler.
// Nondeterministic: order of signals from two children, their values, timeouts.
#include "../support.h"

int main(void)
{
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    sigaddset(&wanted, SIGRTMIN + 1);
    sigprocmask(SIG_BLOCK, &wanted, NULL);
    pid_t parent = getpid();
    for (int i = 0; i < 2; i++) {
        if (MUST(fork()) == 0) {
            for (int n = 0; n < 4; n++) {
                sleep_us(random_below(800));
                sigqueue(parent, SIGRTMIN + 1, (union sigval){.sival_int = i * 10 + n});
            }
            _exit(0);
        }
    }
    int received = 0, timeouts = 0;
    while (received < 8) {
        siginfo_t info;
        struct timespec patience = {0, 200000};
        if (sigtimedwait(&wanted, &info, &patience) > 0) {
            printf("%d from %d\n", info.si_value.sival_int, info.si_pid);
            received++;
        } else {
            timeouts++;
        }
    }
    wait_for_children();
    kill(parent, SIGUSR1);
    int number;
    sigwait(&wanted, &number);
    printf("%d timeouts, then signal %d\n", timeouts, number);
}
