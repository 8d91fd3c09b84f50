// Phenomenon: parent and child send each other SIGUSR1 and SIGUSR2 and wait with sigsuspend.
// Nondeterministic: pids in siginfo, the time that a round takes.
#include "../support.h"

static volatile sig_atomic_t hits;
static volatile pid_t sender;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    hits++;
    sender = info->si_pid;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    sigset_t both, none;
    sigemptyset(&none);
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    sigprocmask(SIG_BLOCK, &both, NULL);
    pid_t parent = getpid(), child = MUST(fork());
    if (child == 0) {
        for (int i = 1; i <= 20; i++) {
            while (hits < i)
                sigsuspend(&none);
            kill(parent, SIGUSR2);
        }
        _exit(0);
    }
    long long start_ns = now_ns();
    for (int i = 1; i <= 20; i++) {
        kill(child, SIGUSR1);
        while (hits < i)
            sigsuspend(&none);
    }
    printf("%d rounds with %d took %lld ns, last sender %d\n", (int)hits, child, now_ns() - start_ns, sender);
    wait_for_children();
}
