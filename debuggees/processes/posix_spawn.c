// Phenomenon: posix_spawn with file actions and attributes.
// Nondeterministic: pids, and which of two children ends first.
#include "../support.h"
#include <spawn.h>

extern char **environ;

int main(void)
{
    int ends[2];
    MUST(pipe2(ends, O_CLOEXEC));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigfillset(&defaults);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t children[2];
    for (int i = 0; i < 2; i++) {
        char *arguments[] = {"sh", "-c", i ? "echo second $$" : "echo first $$; exit 3", NULL};
        int error = posix_spawnp(&children[i], "sh", &actions, &attributes, arguments, environ);
        if (error)
            return error;
    }
    close(ends[1]);
    char text[128];
    read_to_end(ends[0], text, sizeof text);
    printf("%s", text);
    for (int i = 0; i < 2; i++) {
        int status;
        pid_t pid = MUST(wait(&status));
        printf("%s (%d) left with %d\n", pid == children[0] ? "first" : "second", pid, WEXITSTATUS(status));
    }
    char *missing[] = {"missing", NULL};
    printf("missing program: %s\n", strerror(posix_spawn(&children[0], "/nonexistent", NULL, NULL, missing, environ)));
}
