/* A signal handler on its own stack, on top of code that a signal interrupted in the middle. */
#include <signal.h>
#include <stdlib.h>

volatile int sink;
static char other_stack[1 << 16];

__attribute__((noinline)) void stop_here(int signal_number) { sink = signal_number; }

static void handle(int signal_number) { stop_here(signal_number); }

__attribute__((noinline)) static int provoke(volatile int *where, int value) {
    int before = value * 3;
    *where = before;
    return before + *where;
}

int main(void) {
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    sigaltstack(&stack, 0);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, 0);
    volatile int *nowhere = (volatile int *)8;
    int value = 14;
    return provoke(nowhere, value);
}
