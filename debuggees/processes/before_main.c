// Phenomenon: code that runs before main, and before the constructors of all libraries.
// Nondeterministic: random bytes, the time and the process id, asked for that early.
#include "../support.h"
#include <sys/syscall.h>

static unsigned early_bytes;
static struct timespec early_time;
static long early_pid;

static void before_everything(void)
{
    // libc is not set up yet: the kernel is asked directly.
    syscall(SYS_getrandom, &early_bytes, sizeof early_bytes, 0);
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &early_time);
    early_pid = syscall(SYS_getpid);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = before_everything;

int main(void)
{
    say("%u bytes at %ld.%09ld in %ld\n", early_bytes, (long)early_time.tv_sec, early_time.tv_nsec, early_pid);
    return early_pid == getpid() ? 0 : 98;
}
