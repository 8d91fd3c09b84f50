// Phenomenon: signals read from a signalfd.
// Nondeterministic: their order, the senders' pids, values they carry.
#include "../support.h"
#include <sys/signalfd.h>

int main(void)
{
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGUSR1);
    sigaddset(&wanted, SIGRTMIN);
    MUST(sigprocmask(SIG_BLOCK, &wanted, NULL));
    int descriptor = MUST(signalfd(-1, &wanted, SFD_CLOEXEC));
    for (int i = 0; i < 3; i++) {
        if (MUST(fork()) == 0) {
            MUST(sigqueue(getppid(), SIGRTMIN, (union sigval){.sival_int = i * 1000 + random_below(1000)}));
            _exit(i);
        }
    }
    int children = 0, values = 0;
    while (children < 3 || values < 3) {
        struct signalfd_siginfo info;
        MUST(read(descriptor, &info, sizeof info));
        if ((int)info.ssi_signo == SIGRTMIN) {
            values++;
            printf("value %d from %u\n", info.ssi_int, info.ssi_pid);
        } else {
            printf("signal %u from %u\n", info.ssi_signo, info.ssi_pid);
        }
        int status;
        pid_t pid;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
            children++;
            printf("child %d left with %d\n", pid, WEXITSTATUS(status));
        }
    }
}
