// Phenomenon: the program dies by SIGABRT, by its own kill or by an unhandled signal of a child.
// Nondeterministic: chosen at random; the exit status differs between runs.
#include "../support.h"
#include <sys/resource.h>

int main(void)
{
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    unsigned choice = random_below(4);
    say("choice %u in %d\n", choice, getpid());
    if (choice == 0)
        abort();
    if (choice == 1)
        raise(SIGTERM);
    if (choice == 2)
        kill(getpid(), SIGKILL);
    pid_t parent = getpid();
    if (MUST(fork()) == 0) {
        kill(parent, SIGHUP);
        _exit(0);
    }
    for (;;)
        pause();
}
