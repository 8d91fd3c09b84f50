// Phenomenon: what the processor tells without a call: its time-stamp counter, whole and in part, with and without the
// number of the processor, and its random numbers in registers of several sizes, in a thread, too.
// Nondeterministic: all of it.
#include "../support.h"
#include <immintrin.h>
#include <pthread.h>
#include <x86intrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((target("rdrnd,rdseed"))) static void random_numbers(const char *who)
{
    unsigned short little = 0;
    unsigned middle = 0;
    unsigned long long large = 0, seed = 0;
    int got = 0;
    if (__builtin_cpu_supports("rdrnd")) {
        got += _rdrand16_step(&little) + _rdrand32_step(&middle) + _rdrand64_step(&large);
    }
    if (__builtin_cpu_supports("rdseed")) {
        // Now and then there is none.
        got += _rdseed64_step(&seed) ? 1 : 0;
    }
    say("%s: %d random: %x %x %llx %llx\n", who, got, little, middle, large, seed);
}

static unsigned lower_half(void)
{
    unsigned low;
    __asm__ volatile("rdtsc" : "=a"(low) : : "rdx");
    return low;
}

static void *look(void *who)
{
    pthread_mutex_lock(&lock);
    unsigned processor = 0;
    unsigned long long first = __rdtsc(), second = __rdtscp(&processor);
    say("%s: %llx %llx %x, in order: %d\n", (char *)who, first, second, lower_half(), first <= second);
    random_numbers(who);
    // Decisions that show as calls.
    for (int i = 0; i < 64; i++) {
        if (__rdtsc() >> 4 & 1) {
            getppid();
        } else {
            getuid();
        }
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    __builtin_cpu_init();
    look("first");
    pthread_t thread;
    pthread_create(&thread, NULL, look, "thread");
    look("first again");
    pthread_join(thread, NULL);
}
