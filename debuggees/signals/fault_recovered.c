// Phenomenon: SIGSEGV, SIGFPE and SIGILL are caught and survived; a page is made writable on demand.
// Nondeterministic: the addresses touched are chosen at random.
#include "../support.h"
#include <setjmp.h>

static sigjmp_buf back;
static char *area;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (number == SIGSEGV && (char *)info->si_addr >= area && (char *)info->si_addr < area + (64 << 12)) {
        // Our own area: make the page usable and try again.
        say("page %ld needed\n", ((char *)info->si_addr - area) >> 12);
        MUST(mprotect((char *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE));
        return;
    }
    siglongjmp(back, number);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    area = mmap(NULL, 64 << 12, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 12; i++)
        area[random_below(64 << 12)] += 1;
    volatile int zero = 0;
    int number = sigsetjmp(back, 1);
    if (number == 0)
        *(volatile int *)24 = 1;
    else if (number == SIGSEGV)
        say("null pointer survived, %d\n", 1 / zero);
    else if (number == SIGFPE)
        __builtin_trap();
    say("all survived, last signal %d, pid %d\n", number, getpid());
}
