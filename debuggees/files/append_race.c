// Phenomenon: two processes append to one log file with O_APPEND.
// Nondeterministic: the order of the lines in the file.
#include "../support.h"

int main(void)
{
    const char *directory = temporary_directory();
    char path[300];
    snprintf(path, sizeof path, "%s/log", directory);
    for (int i = 0; i < 3; i++) {
        if (MUST(fork()) == 0) {
            int log = MUST(open(path, O_WRONLY | O_APPEND | O_CREAT, 0600));
            for (int n = 0; n < 15; n++)
                dprintf(log, "%d.%d ", i, n);
            _exit(0);
        }
    }
    wait_for_children();
    int log = MUST(open(path, O_RDONLY));
    char text[2048];
    read_to_end(log, text, sizeof text);
    printf("%d: %s\n", getpid(), text);
    unlink(path);
    rmdir(directory);
}
