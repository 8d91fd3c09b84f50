// Phenomenon: a blocked read is restarted with SA_RESTART and ends with EINTR without it.
// Nondeterministic: how many interruptions a read sees before its data comes.
#include "../support.h"

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    (void)number;
    handled++;
}

static void round_with(int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    sigaction(SIGUSR1, &action, NULL);
    handled = 0;
    int ends[2];
    MUST(pipe(ends));
    pid_t parent = getpid();
    if (MUST(fork()) == 0) {
        for (int i = 0; i < 8; i++) {
            sleep_us(100 + random_below(300));
            kill(parent, SIGUSR1);
        }
        sleep_us(500);
        write_all(ends[1], "data", 4);
        _exit(0);
    }
    char text[8];
    int interrupted = 0;
    long got;
    while ((got = read(ends[0], text, sizeof text)) == -1 && errno == EINTR)
        interrupted++;
    pid_t child;
    int status;
    while ((child = waitpid(-1, &status, 0)) == -1 && errno == EINTR)
        ;
    printf("%s: %ld bytes, interrupted %d times, handled %d, child %d\n", flags ? "restart" : "interrupt", got,
           interrupted, (int)handled, child);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    round_with(SA_RESTART);
    round_with(0);
}
