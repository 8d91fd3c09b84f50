#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The time-stamp counter, read by code that is built at run time: no file has it, so nobody finds the read. */
int main(void)
{
    static const unsigned char code[] = {0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0xc3};
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(memory, code, sizeof code);
    mprotect(memory, 4096, PROT_READ | PROT_EXEC);
    unsigned long long (*counter)(void) = (unsigned long long (*)(void))memory;
    lseek(0, (off_t)(counter() >> 1), SEEK_SET);
    return 0;
}
