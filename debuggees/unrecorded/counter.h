// The time-stamp counter, read by code that is built at run time: no file has it, so nobody finds the read.
#include "../support.h"

static unsigned long long (*unseen_counter)(void);

__attribute__((constructor)) static void build_unseen_counter(void)
{
    // rdtsc; shl rdx, 32; or rax, rdx; ret
    static const unsigned char code[] = {0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0xc3};
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(memory, code, sizeof code);
    MUST(mprotect(memory, 4096, PROT_READ | PROT_EXEC));
    unseen_counter = (unsigned long long (*)(void))memory;
}
