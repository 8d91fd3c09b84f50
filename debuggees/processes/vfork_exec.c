// Phenomenon: vfork and exec, the parent waiting until the child has become another program.
// Nondeterministic: pids, and the clock value handed over as an argument.
#include "../support.h"

int main(int argc, char **argv)
{
    if (argc > 1) {
        printf("child %d of %d was given %s\n", getpid(), getppid(), argv[1]);
        return 7;
    }
    for (int i = 0; i < 3; i++) {
        char value[32];
        snprintf(value, sizeof value, "%lld", now_ns());
        char *arguments[] = {argv[0], value, NULL};
        pid_t child = vfork();
        if (child == 0) {
            execv("/proc/self/exe", arguments);
            _exit(127);
        }
        int status;
        MUST(waitpid(child, &status, 0));
        say("child %d left with %d\n", child, WEXITSTATUS(status));
    }
    pid_t failing = vfork();
    if (failing == 0) {
        execl("/nonexistent/program", "program", NULL);
        _exit(errno == ENOENT ? 44 : 45);
    }
    int status;
    MUST(waitpid(failing, &status, 0));
    say("no such program: %d\n", WEXITSTATUS(status));
}
