// Phenomenon: every clock, by every call.
// Nondeterministic: all values.
#include "../support.h"

int main(void)
{
    const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
                                CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME,
                                CLOCK_TAI};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct timespec value, resolution;
        MUST(clock_gettime(clocks[i], &value));
        MUST(clock_getres(clocks[i], &resolution));
        printf("clock %d: %ld.%09ld (resolution %ld)\n", clocks[i], (long)value.tv_sec, value.tv_nsec, resolution.tv_nsec);
    }
    struct timeval now;
    MUST(gettimeofday(&now, NULL));
    printf("gettimeofday %ld.%06ld, time %ld, clock %ld\n", (long)now.tv_sec, (long)now.tv_usec, (long)time(NULL), (long)clock());
    clockid_t mine;
    clock_getcpuclockid(getpid(), &mine);
    struct timespec value;
    MUST(clock_gettime(mine, &value));
    printf("own cpu clock %ld\n", value.tv_nsec);
    struct tm parts;
    time_t seconds = now.tv_sec;
    char text[64];
    strftime(text, sizeof text, "%F %T", localtime_r(&seconds, &parts));
    printf("%s\n", text);
    printf("bad clock: %d %s\n", clock_gettime(1234, &value), strerror(errno));
    long long sum = 0;
    for (int i = 0; i < 10000; i++)
        sum ^= now_ns();
    printf("10000 reads: %llx\n", sum);
}
