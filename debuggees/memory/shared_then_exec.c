// Phenomenon: a process that shares memory forks children that exec: they leave the memory and its order.
// Nondeterministic: pids, and the order of the children's counts.
#include "../support.h"

int main(void)
{
    _Atomic int *count = shared_memory(sizeof *count);
    for (int i = 0; i < 3; i++) {
        if (MUST(fork()) == 0) {
            say("child %d counts %d\n", (int)getpid(), ++*count);
            if (i == 1)
                _exit(0);
            execl("/bin/sh", "sh", "-c", "echo shell $$", NULL);
            _exit(99);
        }
    }
    for (int i = 0; i < 50; i++) {
        ++*count;
        usleep(100);
    }
    wait_for_children();
    say("%d counted %d\n", (int)getpid(), *count);
}
