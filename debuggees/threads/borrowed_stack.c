// Phenomenon: system calls on a stack so short that no signal frame fits below it, as language runtimes with
// stacks of their own make them: handlers have an alternate stack, and what lies below is somebody else's.
// Nondeterministic: process and thread ids, random bytes.
#include "../support.h"
#include <pthread.h>
#include <sys/syscall.h>

enum { BELOW = 4096, ROOM = 1400, ALTERNATE = 1 << 16 };

// Makes a system call with the stack pointer at `top`.
static long call_on(char *top, long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("mov %%rsp, %%rbx\n\t"
                     "mov %[top], %%rsp\n\t"
                     "syscall\n\t"
                     "mov %%rbx, %%rsp"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), [top] "r"(top)
                     : "rbx", "rcx", "r11", "memory");
    return result;
}

static void *work(void *name)
{
    char *memory = malloc(BELOW + ROOM + ALTERNATE);
    stack_t alternate = {.ss_sp = memory + BELOW + ROOM, .ss_size = ALTERNATE};
    MUST(sigaltstack(&alternate, NULL));
    memset(memory, 0x5a, BELOW);
    char *top = (char *)((uintptr_t)(memory + BELOW + ROOM) & ~(uintptr_t)15);
    long process = 0, thread = 0;
    unsigned bytes = 0;
    for (int i = 0; i < 100; i++) {
        process = call_on(top, SYS_getpid, 0, 0, 0);
        thread = call_on(top, SYS_gettid, 0, 0, 0);
    }
    MUST(getrandom(&bytes, sizeof bytes, 0));
    for (int i = 0; i < BELOW; i++) {
        if (memory[i] != 0x5a) {
            dprintf(2, "%s: the byte %d below the stack was overwritten\n", (char *)name, BELOW + ROOM - i);
            _exit(98);
        }
    }
    say("%s: process %ld, thread %ld, %u\n", (char *)name, process, thread, bytes);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    work("first");
    pthread_create(&thread, NULL, work, "second");
    pthread_join(thread, NULL);
}
