// Phenomenon: a recursive mutex, taken up to three times by its owner, once by trylock.
// Nondeterministic: the order of the owners.
#include "team.h"

static pthread_mutex_t mutex;
static struct history history;

static void descend(int who, int depth)
{
    OK(pthread_mutex_lock(&mutex));
    add(&history, who);
    if (depth > 0)
        descend(who, depth - 1);
    OK(pthread_mutex_trylock(&mutex));
    OK(pthread_mutex_unlock(&mutex));
    OK(pthread_mutex_unlock(&mutex));
}

static void *compete(void *number)
{
    for (int i = 0; i < rounds() / 2; i++) {
        descend((long)number, i % 3);
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    pthread_mutexattr_t attributes;
    OK(pthread_mutexattr_init(&attributes));
    OK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE));
    OK(pthread_mutex_init(&mutex, &attributes));
    run_team(compete);
    show("recursive", &history);
    OK(pthread_mutex_destroy(&mutex));
}
