// Phenomenon: robust mutexes: owners that end without unlocking, EOWNERDEAD, recovery, ENOTRECOVERABLE.
// Nondeterministic: who meets the dead owner's mutex, and the order.
#include "team.h"

static pthread_mutex_t mutex, lost;
static struct history history, recoveries;

static void *compete(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 8; i++) {
        int result = pthread_mutex_lock(&mutex);
        if (result == EOWNERDEAD) {
            add(&recoveries, who);
            OK(pthread_mutex_consistent(&mutex));
        } else {
            OK(result);
        }
        add(&history, who);
        if (i + 1 == rounds() / 8 && who % 2)
            return NULL; // Dies as the owner.
        OK(pthread_mutex_unlock(&mutex));
        idle();
    }
    return NULL;
}

static void *die(void *argument)
{
    OK(pthread_mutex_lock(&lost));
    return argument;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    pthread_mutexattr_t attributes;
    OK(pthread_mutexattr_init(&attributes));
    OK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
    OK(pthread_mutex_init(&mutex, &attributes));
    OK(pthread_mutex_init(&lost, &attributes));
    run_team(compete);
    show("robust", &history);
    show("recovered", &recoveries);
    pthread_t thread;
    OK(pthread_create(&thread, NULL, die, NULL));
    OK(pthread_join(thread, NULL));
    GIVES(EOWNERDEAD, pthread_mutex_lock(&lost));
    OK(pthread_mutex_unlock(&lost)); // Not made consistent: nobody gets it again.
    GIVES(ENOTRECOVERABLE, pthread_mutex_lock(&lost));
}
