// Phenomenon: SIGALRM from setitimer interrupts a program that makes system calls all the time.
// Nondeterministic: at which call each signal arrives.
#include "../support.h"

static volatile sig_atomic_t alarms;
static volatile int position;
static int seen_at[10];

static void on_alarm(int number)
{
    (void)number;
    if (alarms < 10)
        seen_at[alarms] = position;
    alarms++;
}

int main(void)
{
    signal(SIGALRM, on_alarm);
    struct itimerval every = {{0, 1000}, {0, 1000}}, off = {0};
    MUST(setitimer(ITIMER_REAL, &every, NULL));
    while (alarms < 10) {
        position++;
        getppid();
        if (position % 100 == 0)
            now_ns();
    }
    MUST(setitimer(ITIMER_REAL, &off, NULL));
    for (int i = 0; i < 10; i++)
        printf("%d ", seen_at[i]);
    printf("\n");
}
