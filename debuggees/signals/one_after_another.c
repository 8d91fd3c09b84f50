// Phenomenon: two signals interrupt one call, and their handlers run one after the other, not one inside the other; the
// first makes calls itself, and the second acts on how far the first came.
// Nondeterministic: process ids, which of the two comes first.
#include "../support.h"

static volatile sig_atomic_t in_first, nested, seen;

static void first(int signal)
{
    in_first = 1;
    say("first, signal %d in %d\n", signal, getpid());
    in_first = 0;
    seen++;
}

static void second(int signal)
{
    nested += in_first;
    say("second, signal %d, %s the first, in %d\n", signal, in_first ? "inside" : "beside", getpid());
    seen++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = first};
    sigfillset(&action.sa_mask);
    MUST(sigaction(SIGINT, &action, NULL));
    action.sa_handler = second;
    MUST(sigaction(SIGUSR1, &action, NULL));
    pid_t parent = getpid();
    sigset_t both, old;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGUSR1);
    for (int i = 0; i < 20; i++) {
        seen = 0;
        MUST(sigprocmask(SIG_BLOCK, &both, &old));
        pid_t child = MUST(fork());
        if (child == 0) {
            bool usual = random_below(2);
            kill(parent, usual ? SIGINT : SIGUSR1);
            kill(parent, usual ? SIGUSR1 : SIGINT);
            _exit(0);
        }
        // Both wait by then, or only one does.
        sleep_us(random_below(2000));
        MUST(sigprocmask(SIG_SETMASK, &old, NULL));
        while (seen < 2)
            sleep_us(100);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    say("nested %d times\n", (int)nested);
    return nested == 0 ? 0 : 98;
}
