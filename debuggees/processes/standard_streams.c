// Phenomenon: standard input and output are closed, duplicated and replaced on the way.
// Nondeterministic: pids that appear in each part of the output.
#include "../support.h"

int main(void)
{
    char line[128] = "";
    if (!fgets(line, sizeof line, stdin))
        strcpy(line, "(no input)\n");
    printf("%d read: %s", getpid(), line);
    fflush(stdout);
    int saved = MUST(dup(1)), ends[2];
    MUST(pipe(ends));
    MUST(dup2(ends[1], 1)); // Everything that is printed now goes into the pipe.
    close(ends[1]);
    if (MUST(fork()) == 0) {
        printf("child %d\n", getpid());
        exit(0);
    }
    wait_for_children();
    puts("parent");
    fflush(stdout);
    MUST(dup2(saved, 1));
    close(saved);
    char text[128];
    read_to_end(ends[0], text, sizeof text);
    say("captured: %s", text);
    close(0);
    int lowest = MUST(open("/dev/null", O_RDONLY));
    say("lowest free descriptor %d\n", lowest);
    close(1);
    dprintf(2, "stdout closed, write gives %zd (%d)\n", write(1, "x", 1), errno);
    return getpid() % 90;
}
