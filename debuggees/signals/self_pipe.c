// Phenomenon: the self-pipe trick: a handler writes into a pipe that the main loop polls.
// Nondeterministic: how signals and polls interleave.
#include "../support.h"
#include <poll.h>

static int ends[2];

static void on_signal(int number)
{
    int saved = errno;
    char byte = number;
    if (write(ends[1], &byte, 1) != 1)
        _exit(97);
    errno = saved;
}

int main(void)
{
    MUST(pipe2(ends, O_NONBLOCK | O_CLOEXEC));
    signal(SIGUSR1, on_signal);
    signal(SIGCHLD, on_signal);
    pid_t parent = getpid();
    for (int i = 0; i < 3; i++) {
        if (MUST(fork()) == 0) {
            sleep_us(random_below(1500));
            kill(parent, SIGUSR1);
            sleep_us(random_below(1500));
            _exit(0);
        }
    }
    struct pollfd watched = {ends[0], POLLIN, 0};
    int children = 0, interrupted = 0, timeouts = 0;
    while (children < 3) {
        int ready = poll(&watched, 1, 1);
        if (ready == -1)
            interrupted++;
        else if (ready == 0)
            timeouts++;
        char bytes[16];
        long got = read(ends[0], bytes, sizeof bytes);
        for (long i = 0; i < got; i++)
            printf("signal %d ", bytes[i]);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            children++;
    }
    printf("\n%d interrupted, %d timeouts in %d\n", interrupted, timeouts, getpid());
}
