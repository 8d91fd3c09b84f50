// Phenomenon: several processes write into one pipe.
// Nondeterministic: the order of their lines.
#include "../support.h"

int main(void)
{
    int ends[2];
    MUST(pipe(ends));
    for (int i = 0; i < 4; i++) {
        if (MUST(fork()) == 0) {
            for (int n = 0; n < 20; n++) {
                char line[32];
                write_all(ends[1], line, snprintf(line, sizeof line, "%d.%d ", i, n));
            }
            _exit(0);
        }
    }
    close(ends[1]);
    char text[4096];
    read_to_end(ends[0], text, sizeof text);
    printf("%d: %s\n", getpid(), text);
    wait_for_children();
}
