// Phenomenon: a named pipe (FIFO) with two writers; opening it waits for the other side.
// Nondeterministic: order of the lines, pids, the name of the directory.
#include "../support.h"

int main(void)
{
    const char *directory = temporary_directory();
    char path[300];
    snprintf(path, sizeof path, "%s/fifo", directory);
    MUST(mkfifo(path, 0600));
    for (int i = 0; i < 2; i++) {
        if (MUST(fork()) == 0) {
            int out = MUST(open(path, O_WRONLY));
            for (int n = 0; n < 8; n++) {
                char line[64];
                write_all(out, line, snprintf(line, sizeof line, "writer %d (%d) line %d\n", i, getpid(), n));
            }
            _exit(0);
        }
    }
    int in = MUST(open(path, O_RDWR)); // Also a writer, so that no early end of file is seen.
    char text[4096];
    int lines = 0;
    while (lines < 16) {
        long got = MUST(read(in, text, sizeof text));
        for (long i = 0; i < got; i++)
            lines += text[i] == '\n';
        fwrite(text, 1, got, stdout);
    }
    wait_for_children();
    unlink(path);
    rmdir(directory);
    printf("in %s\n", directory);
}
