// Phenomenon: a handler on an alternate stack survives the overflow of the main stack.
// Nondeterministic: a random amount of recursion before, the pid.
#include "../support.h"
#include <setjmp.h>

static sigjmp_buf back;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    say("signal %d, code %d, on the alternate stack\n", number, info->si_code);
    siglongjmp(back, 1);
}

#pragma GCC diagnostic ignored "-Winfinite-recursion"
static int descend(volatile int *depth)
{
    volatile char frame[4096];
    frame[0] = 1;
    (*depth)++;
    return descend(depth) + frame[0];
}

int main(void)
{
    stack_t alternate = {.ss_sp = malloc(65536), .ss_size = 65536};
    MUST(sigaltstack(&alternate, NULL));
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    static volatile int depth;
    for (int i = 0; i < 2; i++) {
        depth = 0;
        if (sigsetjmp(back, 1) == 0)
            descend(&depth);
        printf("deep enough: %s, random %u, pid %d\n", depth > 100 ? "yes" : "no", random_below(100000), getpid());
        fflush(stdout);
    }
}
