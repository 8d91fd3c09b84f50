// Phenomenon: a SIGCHLD handler reaps children while the main program computes and calls.
// Nondeterministic: when the handler runs, how many children it finds at once.
#include "../support.h"

static volatile sig_atomic_t reaped, runs;

static void on_child(int number)
{
    (void)number;
    int saved = errno, status;
    runs++;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        reaped++;
        say("run %d reaped the child that left with %d\n", (int)runs, WEXITSTATUS(status));
    }
    errno = saved;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < 8; i++) {
        if (MUST(fork()) == 0) {
            sleep_us(random_below(2000));
            _exit(i);
        }
    }
    long calls = 0;
    while (reaped < 8) {
        getppid();
        calls++;
    }
    say("main made %ld calls in %d\n", calls, getpid());
}
