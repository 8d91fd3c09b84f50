// Phenomenon: a program has its own use for the signal by which the recorder stops threads: a handler, a wait for all
// signals, and its end.
// Nondeterministic: the time.
#include "../support.h"
#include <pthread.h>

static volatile sig_atomic_t came;

static void count(int number) { came += number == SIGSTKFLT; }

static void *wait_for_any(void *set)
{
    int number;
    do
        sigwait(set, &number);
    while (number != SIGUSR1);
    printf("signal %d\n", number);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = count}, before;
    MUST(sigaction(SIGSTKFLT, &action, &before));
    printf("before: %s\n", before.sa_handler == SIG_DFL ? "default" : "something else");
    for (int i = 0; i < 3; i++)
        raise(SIGSTKFLT);
    printf("came %d times at %lld\n", (int)came, now_ns());

    sigset_t all;
    pthread_t waiter;
    sigfillset(&all);
    sigdelset(&all, SIGSTKFLT);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_create(&waiter, NULL, wait_for_any, &all);
    pthread_kill(waiter, SIGUSR1);
    pthread_join(waiter, NULL);
    fflush(stdout);

    signal(SIGSTKFLT, SIG_IGN);
    raise(SIGSTKFLT);
    signal(SIGSTKFLT, SIG_DFL);
    raise(SIGSTKFLT);
    return 98;
}
