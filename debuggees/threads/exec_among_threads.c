// Phenomenon: a second thread executes another program; all other threads vanish.
// Nondeterministic: pids and thread ids, a random argument.
#include "../support.h"
#include <pthread.h>

static char *program;

static void *become(void *argument)
{
    (void)argument;
    char value[32];
    snprintf(value, sizeof value, "%u", random_below(1000000));
    sleep_us(500);
    execl("/proc/self/exe", program, value, NULL);
    return NULL;
}

static void *idle(void *argument)
{
    for (;;)
        sleep_us(100);
    return argument;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        printf("now %d (thread %d) with %s\n", getpid(), gettid(), argv[1]);
        return 0;
    }
    program = argv[0];
    say("was %d\n", getpid());
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
    pthread_create(&thread, NULL, become, NULL);
    pthread_join(thread, NULL);
    return 1;
}
