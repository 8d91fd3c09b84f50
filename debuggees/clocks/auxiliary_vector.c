// Phenomenon: random bytes that the kernel puts on the stack of every program (AT_RANDOM).
// Nondeterministic: those bytes; libc makes stack guards and pointer guards of them.
#include "../support.h"
#include <setjmp.h>
#include <sys/auxv.h>

int main(void)
{
    const unsigned char *bytes = (const unsigned char *)getauxval(AT_RANDOM);
    for (int i = 0; i < 16; i++)
        printf("%02x", bytes[i]);
    uintptr_t guard;
    __asm__("mov %%fs:0x28, %0" : "=r"(guard));
    printf("\nstack guard %016lx, pid %d\n", guard, getpid());
    jmp_buf place;
    if (setjmp(place) == 0)
        longjmp(place, 1);
    unsigned long words[8];
    memcpy(words, place, sizeof words);
    printf("mangled pointers %016lx %016lx\n", words[6], words[7]);
}
