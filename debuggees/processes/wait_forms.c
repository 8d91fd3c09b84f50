// Phenomenon: wait, waitpid with WNOHANG, waitid with WNOWAIT, wait4 with usage, ECHILD.
// Nondeterministic: how often WNOHANG found nothing, order of the children, resources used.
#include "../support.h"
#include <sys/resource.h>

static pid_t child_that_leaves(int code)
{
    pid_t pid = MUST(fork());
    if (pid == 0) {
        sleep_us(300 + random_below(1000));
        _exit(code);
    }
    return pid;
}

int main(void)
{
    int status, nothing = 0;
    pid_t pid = child_that_leaves(1);
    while (MUST(waitpid(pid, &status, WNOHANG)) == 0) {
        nothing++;
        sleep_us(30);
    }
    printf("waitpid: %d after %d attempts\n", WEXITSTATUS(status), nothing);

    child_that_leaves(2);
    child_that_leaves(3);
    for (int i = 0; i < 2; i++) {
        pid = MUST(wait(&status));
        printf("wait: %d left with %d\n", pid, WEXITSTATUS(status));
    }

    pid = child_that_leaves(4);
    siginfo_t info;
    MUST(waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
    printf("waitid: pid %d code %d status %d\n", info.si_pid, info.si_code, info.si_status);
    MUST(waitid(P_ALL, 0, &info, WEXITED));

    child_that_leaves(5);
    struct rusage usage;
    pid = MUST(wait4(-1, &status, 0, &usage));
    printf("wait4: %d used %ld us, %ld page faults\n", pid, (long)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec,
           usage.ru_minflt);
    pid = wait(&status);
    printf("none left: %d %s\n", pid, strerror(errno));
}
