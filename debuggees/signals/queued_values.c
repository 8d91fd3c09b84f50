// Phenomenon: real-time signals are queued and carry values; ordinary ones merge.
// Nondeterministic: pids, how many ordinary signals merged.
#include "../support.h"

static volatile sig_atomic_t ordinary, queued, sum;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (number == SIGUSR1) {
        ordinary++;
    } else {
        queued++;
        sum += info->si_value.sival_int;
    }
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGRTMIN + 3, &action, NULL);
    pid_t parent = getpid(), child = MUST(fork());
    if (child == 0) {
        for (int i = 0; i < 400; i++) {
            kill(parent, SIGUSR1);
            sigqueue(parent, SIGRTMIN + 3, (union sigval){.sival_int = random_below(1000)});
        }
        _exit(0);
    }
    int status;
    MUST(waitpid(child, &status, 0));
    while (queued < 400)
        getppid();
    printf("%d ordinary, %d queued with sum %d, child %d\n", (int)ordinary, (int)queued, (int)sum, child);
}
