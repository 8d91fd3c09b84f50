// Phenomenon: a process with several threads forks; the child has only the forking one. Atfork handlers.
// Nondeterministic: pids, how far the other thread was at the fork.
#include "../support.h"
#include <pthread.h>

static volatile int progress, stop;

static void *work(void *argument)
{
    while (!stop) {
        progress++;
        getppid();
    }
    return argument;
}

static void in_child(void)
{
    say("atfork handler in %d\n", getpid());
}

int main(void)
{
    pthread_atfork(NULL, NULL, in_child);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < 3; i++) {
        sleep_us(300);
        if (MUST(fork()) == 0) {
            int seen = progress;
            sleep_us(200);
            say("child %d: %d, still %s\n", getpid(), seen, seen == progress ? "the same" : "CHANGING");
            _exit(0);
        }
        wait_for_children();
    }
    stop = 1;
    pthread_join(thread, NULL);
    say("progress %d\n", progress);
}
