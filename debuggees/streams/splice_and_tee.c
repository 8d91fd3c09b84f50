// Phenomenon: splice and tee move and double bytes between pipes and a file inside the kernel.
// Nondeterministic: the random text, pids, and how much each call moved.
#include "../support.h"

int main(void)
{
    int first[2], second[2];
    MUST(pipe(first));
    MUST(pipe(second));
    if (MUST(fork()) == 0) {
        for (int i = 0; i < 20; i++) {
            char line[64];
            write_all(first[1], line, snprintf(line, sizeof line, "%d: %u from %d\n", i, random_below(100000), getpid()));
        }
        _exit(0);
    }
    close(first[1]);
    FILE *file = tmpfile();
    long moved, calls = 0, doubled = 0;
    uint32_t sum = 0;
    while ((moved = MUST(tee(first[0], second[1], 4096, 0))) > 0) {
        // What tee left in the first pipe goes to the file; its double is read by us.
        for (long rest = moved; rest > 0;)
            rest -= MUST(splice(first[0], NULL, fileno(file), NULL, rest, 0));
        char bytes[4096];
        for (long rest = moved; rest > 0;) {
            long got = MUST(read(second[0], bytes, rest));
            sum = checksum(sum, bytes, got);
            rest -= got;
        }
        doubled += moved;
        calls++;
    }
    char text[4096];
    rewind(file);
    size_t length = fread(text, 1, sizeof text, file);
    printf("%ld bytes in %ld calls, %s\n%.*s", doubled, calls, checksum(0, text, length) == sum ? "same" : "DIFFERENT",
           (int)length, text);
    fflush(stdout);
    wait_for_children();
}
