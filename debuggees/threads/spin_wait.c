// Phenomenon: a thread spins on a flag without system calls until another thread sets it.
// Nondeterministic: what the setter read from the clock.
#include "../support.h"
#include <pthread.h>

static _Atomic long long flag_ns;

static void *set(void *argument)
{
    for (int i = 0; i < 5; i++) {
        while (__atomic_load_n(&flag_ns, __ATOMIC_ACQUIRE) != 0)
            ;
        __atomic_store_n(&flag_ns, now_ns(), __ATOMIC_RELEASE);
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    for (int i = 0; i < 5; i++) {
        long long seen;
        while ((seen = __atomic_load_n(&flag_ns, __ATOMIC_ACQUIRE)) == 0)
            ;
        printf("seen %lld\n", seen);
        __atomic_store_n(&flag_ns, 0, __ATOMIC_RELEASE);
    }
    pthread_join(thread, NULL);
}
