// Phenomenon: threads wait for each other in a loop of so many rounds, and in the kernel if that was not enough, as
// libraries for parallel loops do. The call stands in the program's own code, and its result shows whether it was made.
// Nondeterministic: who waits in the kernel how often.
#include "../support.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

enum { THREADS = 2, ROUNDS = 300, SPINS = 20000 };

static _Atomic int generation, left = THREADS;
static int slept[THREADS];

static long futex(_Atomic int *word, long operation, long value)
{
    register long limit __asm__("r10") = 0;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_futex), "D"(word), "S"(operation | FUTEX_PRIVATE_FLAG), "d"(value), "r"(limit)
                     : "rcx", "r11", "memory");
    if (result == SYS_futex) {
        dprintf(2, "a call was not made\n");
        _exit(98);
    }
    return result;
}

static void meet(int who)
{
    int now = generation;
    if (--left == 0) {
        left = THREADS;
        generation = now + 1;
        futex(&generation, FUTEX_WAKE, THREADS);
        return;
    }
    for (int i = 0; i < SPINS && generation == now; i++)
        __builtin_ia32_pause();
    while (generation == now) {
        slept[who]++;
        futex(&generation, FUTEX_WAIT, now);
    }
}

static void *run(void *number)
{
    long who = (long)number;
    volatile unsigned value = who;
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < 3000 + who * 6000; k++)
            value = value * 1103515245 + 12345;
        meet(who);
    }
    return NULL;
}

int main(void)
{
    pthread_t other;
    long long start = now_ns();
    pthread_create(&other, NULL, run, (void *)1);
    run((void *)0);
    pthread_join(other, NULL);
    printf("%d and %d waits, %lld ns\n", slept[0], slept[1], now_ns() - start);
}
