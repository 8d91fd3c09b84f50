// Phenomenon: a busy loop without any system call waits for a flag that a handler sets.
// Nondeterministic: the clock value that the handler reads.
#include "../support.h"

static volatile sig_atomic_t flag;
static volatile long long when_ns;

static void on_alarm(int number)
{
    (void)number;
    when_ns = now_ns();
    flag = 1;
}

int main(void)
{
    signal(SIGALRM, on_alarm);
    struct itimerval once = {{0, 0}, {0, 5000}};
    for (int i = 0; i < 3; i++) {
        flag = 0;
        MUST(setitimer(ITIMER_REAL, &once, NULL));
        while (!flag)
            ;
        printf("flag seen, handler ran at %lld\n", when_ns);
    }
}
