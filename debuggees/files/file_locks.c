// Phenomenon: processes exclude each other by flock and by fcntl locks.
// Nondeterministic: who gets the lock when, failed attempts, the name of the directory.
#include "../support.h"
#include <sys/file.h>

int main(void)
{
    const char *directory = temporary_directory();
    char path[300];
    snprintf(path, sizeof path, "%s/lock", directory);
    close(MUST(open(path, O_CREAT | O_RDWR, 0600)));
    for (int i = 0; i < 3; i++) {
        if (MUST(fork()) == 0) {
            int file = MUST(open(path, O_RDWR)), busy = 0;
            for (int n = 0; n < 5; n++) {
                while (flock(file, LOCK_EX | LOCK_NB) == -1)
                    busy++, sleep_us(20);
                say("%d.%d (busy %d)\n", i, n, busy);
                MUST(flock(file, LOCK_UN));
            }
            struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};
            MUST(fcntl(file, F_SETLKW, &range));
            say("%d has the range\n", i);
            _exit(0);
        }
    }
    wait_for_children();
    say("in %s\n", directory);
    unlink(path);
    rmdir(directory);
}
