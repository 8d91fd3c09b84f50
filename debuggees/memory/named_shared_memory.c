// Phenomenon: shm_open and System V shared memory between parent and child.
// Nondeterministic: pids, random contents, identifiers.
#include "../support.h"
#include <sys/ipc.h>
#include <sys/shm.h>

int main(void)
{
    char name[64];
    snprintf(name, sizeof name, "/wayfarer-debuggee-%d", getpid());
    int object = MUST(shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600));
    MUST(ftruncate(object, 4096));
    volatile unsigned *values = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, object, 0);
    int identifier = MUST(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
    volatile unsigned *older = (unsigned *)MUST(shmat(identifier, NULL, 0));
    MUST(shmctl(identifier, IPC_RMID, NULL));
    if (MUST(fork()) == 0) {
        values[0] = random_below(1000000);
        values[1] = getpid();
        older[0] = random_below(1000000);
        _exit(0);
    }
    wait_for_children();
    printf("%s: child %u wrote %u and %u\n", name, values[1], values[0], older[0]);
    MUST(shm_unlink(name));
}
