// Phenomenon: a child is stopped and continued; the parent sees both with WUNTRACED and WCONTINUED.
// Nondeterministic: how far the child had counted when it was stopped.
#include "../support.h"

int main(void)
{
    int ends[2];
    MUST(pipe(ends));
    pid_t child = MUST(fork());
    if (child == 0) {
        for (int n = 0;; n++) {
            write_all(ends[1], &n, sizeof n);
            sleep_us(50);
        }
    }
    int status, last = -1, got = 0;
    sleep_us(1500);
    MUST(kill(child, SIGSTOP));
    MUST(waitpid(child, &status, WUNTRACED));
    MUST(fcntl(ends[0], F_SETFL, O_NONBLOCK));
    while (read(ends[0], &last, sizeof last) == sizeof last)
        got++;
    printf("stopped by %d after %d numbers\n", WSTOPSIG(status), got);
    MUST(kill(child, SIGCONT));
    MUST(waitpid(child, &status, WCONTINUED));
    printf("continued: %s\n", WIFCONTINUED(status) ? "yes" : "no");
    sleep_us(500);
    MUST(kill(child, SIGTERM));
    MUST(waitpid(child, &status, 0));
    printf("%d ended by %d\n", child, WTERMSIG(status));
}
