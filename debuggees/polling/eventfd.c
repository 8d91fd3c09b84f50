// Phenomenon: eventfd counters between processes, plain and as a semaphore.
// Nondeterministic: how many signals one read collects.
#include "../support.h"
#include <sys/eventfd.h>

int main(void)
{
    int counter = MUST(eventfd(0, 0)), semaphore = MUST(eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK));
    if (MUST(fork()) == 0) {
        for (uint64_t i = 1; i <= 40; i++) {
            MUST(write(counter, &(uint64_t){1}, 8));
            if (i % 4 == 0)
                MUST(write(semaphore, &(uint64_t){1}, 8));
        }
        _exit(0);
    }
    uint64_t value, total = 0;
    while (total < 40) {
        MUST(read(counter, &value, 8));
        total += value;
        printf("%llu ", (unsigned long long)value);
    }
    int taken = 0, failed = 0;
    while (taken < 10) {
        if (read(semaphore, &value, 8) == 8)
            taken++;
        else
            failed++;
    }
    printf("= %llu, pid %d, semaphore empty %d times\n", (unsigned long long)total, getpid(), failed);
    wait_for_children();
}
