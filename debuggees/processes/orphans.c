// Phenomenon: grandchildren whose parent dies, and a daemon that outlives the first process.
// Nondeterministic: pids, and the parent that an orphan gets.
#include "../support.h"
#include <sys/prctl.h>

int main(void)
{
    int alive[2], ready[2];
    MUST(pipe(alive));
    MUST(pipe(ready));
    if (MUST(fork()) == 0) {
        pid_t parent = getpid();
        if (MUST(fork()) == 0) {
            setsid();
            while (getppid() == parent)
                sleep_us(50);
            say("orphan %d, was the child of %d\n", getpid(), parent);
            write_all(ready[1], "r", 1);
            close(alive[1]);
            char byte;
            long got = MUST(read(alive[0], &byte, 1)); // The end comes when the first process is gone.
            say("daemon %d outlived everybody (%ld)\n", getpid(), got);
            _exit(0);
        }
        _exit(0);
    }
    wait_for_children();
    char byte;
    MUST(read(ready[0], &byte, 1));
    say("first process %d leaves\n", getpid());
    return 3;
}
