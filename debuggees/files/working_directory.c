// Phenomenon: chdir, fchdir, getcwd, relative paths and openat; a directory deleted under us.
// Nondeterministic: the name of the temporary directory, the pid.
#include "../support.h"

int main(void)
{
    char here[1024];
    int start = MUST(open(".", O_RDONLY | O_DIRECTORY));
    const char *directory = temporary_directory();
    MUST(chdir(directory));
    printf("%s\n", getcwd(here, sizeof here));
    MUST(mkdir("below", 0700));
    int below = MUST(open("below", O_RDONLY | O_DIRECTORY));
    int file = MUST(openat(below, "note", O_CREAT | O_RDWR, 0600));
    dprintf(file, "pid %d", getpid());
    if (MUST(fork()) == 0) {
        MUST(fchdir(below));
        char text[32];
        int note = MUST(open("note", O_RDONLY));
        read_to_end(note, text, sizeof text);
        say("child in %s reads: %s\n", getcwd(here, sizeof here), text);
        _exit(0);
    }
    wait_for_children();
    MUST(unlinkat(below, "note", 0));
    MUST(chdir("below"));
    MUST(rmdir("../below"));
    printf("deleted: %s\n", getcwd(here, sizeof here) ? here : strerror(errno));
    MUST(fchdir(start));
    MUST(rmdir(directory));
}
