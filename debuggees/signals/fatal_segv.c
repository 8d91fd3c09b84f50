// Phenomenon: the program itself dies by SIGSEGV; its status is 139 for a shell.
// Nondeterministic: what it prints before.
#include "../support.h"
#include <sys/resource.h>

int main(void)
{
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    say("about to fault in %d at %lld\n", getpid(), now_ns());
    *(volatile int *)(uintptr_t)random_below(4096) = 1;
}
