// A storm of children: fork, vfork and exec, posix_spawn; each calls or runs something.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) int work(int n) { return n + 1; }

int main(int argc, char **argv) {
    if (argc > 2) return work(atoi(argv[2])) == atoi(argv[2]) + 1 ? 0 : 1;
    int count = atoi(argv[1]), good = 0, status;
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) _exit(work(i) == i + 1 ? 0 : 1);
        char *again[] = {argv[0], "child", "5", NULL};
        pid_t quick = vfork();
        if (quick == 0) {
            execv("/proc/self/exe", again);
            _exit(9);
        }
        pid_t spawned;
        posix_spawn(&spawned, "/proc/self/exe", NULL, NULL, again, environ);
        for (int j = 0; j < 3; j++)
            if (wait(&status) > 0 && status == 0) good++;
    }
    work(0);
    return good == count * 3 ? 7 : 1;
}
