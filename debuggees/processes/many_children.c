// Phenomenon: many short-lived processes.
// Nondeterministic: the order in which forty children end.
#include "../support.h"

int main(void)
{
    pid_t pids[40];
    for (int i = 0; i < 40; i++)
        if ((pids[i] = MUST(fork())) == 0)
            _exit(i);
    int status;
    pid_t pid;
    while ((pid = wait(&status)) > 0)
        printf("%d%s ", WEXITSTATUS(status), pid == pids[WEXITSTATUS(status)] ? "" : "?");
    printf("\nfirst %d, last %d\n", pids[0], pids[39]);
}
