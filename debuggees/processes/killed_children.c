// Phenomenon: children that end by SIGKILL, SIGTERM, SIGABRT and SIGSEGV, seen by their parent.
// Nondeterministic: pids, and how far a child counted before it was killed.
#include "../support.h"
#include <sys/resource.h>

int main(void)
{
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const int kinds[] = {SIGKILL, SIGTERM, SIGABRT, SIGSEGV};
    for (int i = 0; i < 4; i++) {
        int ends[2];
        MUST(pipe(ends));
        pid_t child = MUST(fork());
        if (child == 0) {
            if (kinds[i] == SIGABRT)
                abort();
            if (kinds[i] == SIGSEGV)
                *(volatile int *)16 = 1;
            for (int n = 0;; n++)
                write_all(ends[1], &n, sizeof n);
        }
        close(ends[1]);
        int count = -1;
        if (kinds[i] == SIGKILL || kinds[i] == SIGTERM) {
            sleep_us(500);
            MUST(kill(child, kinds[i]));
            while (MUST(read(ends[0], &count, sizeof count)) == sizeof count)
                ;
        }
        int status;
        MUST(waitpid(child, &status, 0));
        printf("child %d: signal %d after %d\n", child, WTERMSIG(status), count);
        close(ends[0]);
    }
}
