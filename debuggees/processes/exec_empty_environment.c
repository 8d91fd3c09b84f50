// Phenomenon: exec with an empty environment; the child must still be followed, and see nothing of us.
// Nondeterministic: pids and random bytes.
#include "../support.h"

extern char **environ;

int main(int argc, char **argv)
{
    if (argc > 1) {
        int count = 0;
        while (environ[count])
            printf("variable %s\n", environ[count++]);
        printf("child %d: %d variables, random %u\n", getpid(), count, random_below(1000000));
        return 0;
    }
    if (MUST(fork()) == 0) {
        char *arguments[] = {argv[0], "child", NULL}, *nothing[] = {NULL};
        MUST(execve("/proc/self/exe", arguments, nothing));
    }
    wait_for_children();
    if (MUST(fork()) == 0) {
        char *arguments[] = {argv[0], "child", NULL}, *one[] = {"ONLY=me", NULL};
        MUST(execve("/proc/self/exe", arguments, one));
    }
    wait_for_children();
    printf("parent %d\n", getpid());
}
