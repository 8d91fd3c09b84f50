// Phenomenon: threads that detach themselves or are created detached and leave by pthread_exit.
// Nondeterministic: the order of their last words.
#include "team.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct history history;

static void leave(int who)
{
    OK(pthread_mutex_lock(&mutex));
    add(&history, who);
    OK(pthread_cond_signal(&changed));
    OK(pthread_mutex_unlock(&mutex));
    pthread_exit(NULL);
}

static void *run(void *number)
{
    if ((long)number % 2)
        OK(pthread_detach(pthread_self()));
    idle();
    leave((long)number);
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    pthread_attr_t detached;
    OK(pthread_attr_init(&detached));
    OK(pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED));
    for (int round = 0; round < 4; round++) {
        for (long i = 0; i < team_size; i++) {
            pthread_t thread;
            OK(pthread_create(&thread, i % 2 ? NULL : &detached, run, (void *)i));
        }
        OK(pthread_mutex_lock(&mutex));
        while (history.length < team_size * (round + 1))
            OK(pthread_cond_wait(&changed, &mutex));
        OK(pthread_mutex_unlock(&mutex));
    }
    show("left", &history);
    fflush(stdout);
    pthread_exit(NULL); // The main thread leaves first; the process ends with its last thread.
}
