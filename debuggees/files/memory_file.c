// Phenomenon: memfd_create: written by call, mapped by two processes, sealed.
// Nondeterministic: random contents, pids.
#include "../support.h"

int main(void)
{
    int file = MUST(memfd_create("wayfarer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    for (int i = 0; i < 100; i++)
        dprintf(file, "%u,", random_below(1000));
    off_t size = MUST(lseek(file, 0, SEEK_CUR));
    if (MUST(fork()) == 0) {
        char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        say("child %d sees %08x\n", getpid(), checksum(0, memory, size));
        int length = snprintf(memory, 16, "child %d ", getpid());
        memory[length] = ',';
        munmap(memory, size);
        _exit(0);
    }
    wait_for_children();
    MUST(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
    char text[17] = "";
    MUST(pread(file, text, 16, 0));
    printf("%ld bytes starting %s, truncate gives %d\n", (long)size, text, ftruncate(file, 1));
}
