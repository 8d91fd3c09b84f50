// Phenomenon: of two processes that share memory one is killed in the middle of its own code; the other
// goes on before it waits for it.
// Nondeterministic: the process id, and how far the killed one came, which nobody prints.
#include "../support.h"

int main(void) {
    volatile long *counter = shared_memory(4096);
    pid_t child = MUST(fork());
    if (child == 0) {
        struct itimerval soon = {.it_value = {0, 3000}};
        setitimer(ITIMER_REAL, &soon, NULL);
        for (;;)
            counter[0]++;
    }
    struct timespec pause = {0, 15000000};
    nanosleep(&pause, NULL);
    int status = 0;
    long seen = counter[0];
    pid_t ended = waitpid(child, &status, 0);
    printf("%s, killed by %d, it counted: %d\n", ended == child ? "waited" : "lost", WTERMSIG(status),
           seen > 0);
    printf("pid %d\n", getpid());
}
