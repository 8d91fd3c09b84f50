// Phenomenon: several processes read from one pipe: a queue of work.
// Nondeterministic: who takes which item.
#include "../support.h"

int main(void)
{
    int work[2], results[2];
    MUST(pipe(work));
    MUST(pipe(results));
    for (int worker = 0; worker < 3; worker++) {
        if (MUST(fork()) == 0) {
            close(work[1]);
            unsigned char item;
            while (MUST(read(work[0], &item, 1)) == 1) {
                char line[32];
                write_all(results[1], line, snprintf(line, sizeof line, "%d took %d\n", worker, item));
                sleep_us(random_below(100));
            }
            _exit(0);
        }
    }
    for (unsigned char item = 0; item < 40; item++)
        write_all(work[1], &item, 1);
    close(work[1]);
    close(results[1]);
    char text[2048];
    read_to_end(results[0], text, sizeof text);
    printf("%s", text);
    wait_for_children();
}
