// Signals: alarms that tick all the time, a SIGUSR1 to itself, a fault that is handled.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

volatile int ticks, users, faults;
static sigjmp_buf again;

static void tick(int s) { (void)s; ticks++; }
static void user(int s) { (void)s; users++; }
static void fault(int s) { (void)s; faults++; siglongjmp(again, 1); }

__attribute__((noinline)) int work(int n) { return n + 1; }

int main(void) {
    signal(SIGALRM, tick);
    signal(SIGUSR1, user);
    signal(SIGSEGV, fault);
    struct itimerval every = {{0, 5000}, {0, 5000}};
    setitimer(ITIMER_REAL, &every, NULL);
    int n = 0;
    for (int i = 0; i < 5000; i++) n = work(n);
    while (ticks < 5) pause();
    raise(SIGUSR1);
    if (!sigsetjmp(again, 1)) *(volatile int *)8 = 1;
    return users == 1 && faults == 1 && n == 5000 ? 7 : 1;
}
