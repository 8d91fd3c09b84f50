// Phenomenon: threads compete for a mutex whose owner inherits the priority of those who wait for it.
// Nondeterministic: the order in which the threads get it, and whether a try does.
#include "team.h"

static pthread_mutex_t mutex;
static struct history history;

static void *compete(void *number)
{
    for (int i = 0; i < rounds(); i++) {
        if (i % 3 != 0 || pthread_mutex_trylock(&mutex) != 0)
            OK(pthread_mutex_lock(&mutex));
        add(&history, (long)number);
        if (i % 5 == 0)
            usleep(20);
        OK(pthread_mutex_unlock(&mutex));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    pthread_mutexattr_t attributes;
    OK(pthread_mutexattr_init(&attributes));
    OK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
    OK(pthread_mutex_init(&mutex, &attributes));
    run_team(compete);
    show("mutex", &history);
}
