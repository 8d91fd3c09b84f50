// Phenomenon: half a gigabyte of address space; a replay under a lower limit cannot place it.
// Nondeterministic: the pid.
#include "../support.h"

int main(void)
{
    size_t size = (size_t)512 << 20;
    void *memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    say("%d has its memory: %d\n", (int)getpid(), memory != MAP_FAILED);
}
