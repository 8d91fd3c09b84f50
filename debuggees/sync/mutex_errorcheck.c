// Phenomenon: an error-checking mutex: EDEADLK for its owner, EPERM or EBUSY for the others.
// Nondeterministic: the order, and what the others meet.
#include "team.h"

static pthread_mutex_t mutex;
static struct history history;
static int refused[MOST_THREADS], busy[MOST_THREADS];

static void *compete(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 2; i++) {
        refused[who] += pthread_mutex_unlock(&mutex) == EPERM;
        int result = pthread_mutex_trylock(&mutex);
        if (result == EBUSY) {
            busy[who]++;
            OK(pthread_mutex_lock(&mutex));
        }
        add(&history, who);
        GIVES(EDEADLK, pthread_mutex_lock(&mutex));
        GIVES(EBUSY, pthread_mutex_trylock(&mutex));
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
    OK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK));
    OK(pthread_mutex_init(&mutex, &attributes));
    run_team(compete);
    show("errorcheck", &history);
    for (int i = 0; i < team_size; i++)
        printf("%d/%d ", refused[i], busy[i]);
    printf("\n");
}
