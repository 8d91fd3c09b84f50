// Phenomenon: a handler leaves by siglongjmp, out of a blocked read and out of a busy program.
// Nondeterministic: how far the program came before each jump.
#include "../support.h"
#include <setjmp.h>

static sigjmp_buf back;

static void on_alarm(int number)
{
    siglongjmp(back, number);
}

int main(void)
{
    signal(SIGALRM, on_alarm);
    int ends[2];
    MUST(pipe(ends));
    struct itimerval soon = {{0, 0}, {0, 2000}};
    static volatile int count, round;
    for (round = 0; round < 4; round++) {
        count = 0;
        if (sigsetjmp(back, 1) == 0) {
            MUST(setitimer(ITIMER_REAL, &soon, NULL));
            if (round % 2 == 0) {
                char byte;
                MUST(read(ends[0], &byte, 1)); // Nothing ever comes.
            }
            for (;;) {
                getppid();
                count++;
            }
        }
        printf("round %d came to %d at %lld\n", round, count, now_ns());
    }
}
