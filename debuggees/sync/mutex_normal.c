// Phenomenon: threads compete for a mutex with a static initialiser.
// Nondeterministic: the order in which the threads get it.
#include "team.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history history;

static void *compete(void *number)
{
    for (int i = 0; i < rounds(); i++) {
        OK(pthread_mutex_lock(&mutex));
        add(&history, (long)number);
        OK(pthread_mutex_unlock(&mutex));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(compete);
    show("mutex", &history);
}
