// Phenomenon: timerfd, periodic and one-shot, read and asked for its remaining time.
// Nondeterministic: expirations per read, time left in nanoseconds.
#include "../support.h"
#include <sys/timerfd.h>

int main(void)
{
    int timer = MUST(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    struct itimerspec every = {{0, 300000}, {0, 300000}}, left;
    MUST(timerfd_settime(timer, 0, &every, NULL));
    for (int i = 0; i < 10; i++) {
        uint64_t expirations;
        sleep_us(random_below(1500));
        MUST(read(timer, &expirations, 8));
        MUST(timerfd_gettime(timer, &left));
        printf("%llu (%ld ns left)\n", (unsigned long long)expirations, left.it_value.tv_nsec);
    }
    int once = MUST(timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK));
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    MUST(timerfd_settime(once, 0, &soon, NULL));
    uint64_t expirations;
    int early = 0;
    while (read(once, &expirations, 8) == -1)
        early++;
    printf("one-shot: asked %d times too early\n", early);
}
