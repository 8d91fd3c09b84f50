// Phenomenon: system calls that libc does not make: `syscall` instructions in the program's own text
// and in a page that it wrote itself, as just-in-time compilers do.
// Nondeterministic: pids, random bytes, clock values.
#include "../support.h"
#include <sys/syscall.h>

static long call3(long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
    return result;
}

int main(void)
{
    unsigned char bytes[8];
    struct timespec now;
    say("own text: pid %ld\n", call3(SYS_getpid, 0, 0, 0));
    call3(SYS_getrandom, (long)bytes, sizeof bytes, 0);
    say("random %02x%02x%02x%02x\n", bytes[0], bytes[1], bytes[2], bytes[3]);
    call3(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0);
    say("clock %ld, error %ld\n", now.tv_nsec, call3(SYS_close, 12345, 0, 0));
    say("libc's syscall(): %ld\n", syscall(SYS_gettid));

    // mov $SYS_getrandom, %eax; syscall; ret
    const unsigned char code[] = {0xb8, 0x3e, 0x01, 0x00, 0x00, 0x0f, 0x05, 0xc3};
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    long (*generated)(void *, size_t, unsigned) = (long (*)(void *, size_t, unsigned))(uintptr_t)page;
    long got = generated(bytes, sizeof bytes, 0);
    say("generated code: %ld, %02x%02x%02x%02x\n", got, bytes[0], bytes[1], bytes[2], bytes[3]);
    if (call3(SYS_fork, 0, 0, 0) == 0) {
        say("raw child %ld\n", call3(SYS_getpid, 0, 0, 0));
        call3(SYS_exit_group, 0, 0, 0);
    }
    wait_for_children();
}
