// Phenomenon: a process-shared mutex and semaphore between two processes, each with half of the threads.
// Nondeterministic: the order of all threads of both.
#include "team.h"
#include <semaphore.h>

struct shared {
    pthread_mutex_t mutex;
    sem_t places;
    struct history history;
};

static struct shared *shared;
static int first;

static void *compete(void *number)
{
    int who = first + (int)(long)number;
    for (int i = 0; i < rounds() / 4; i++) {
        MUST(sem_wait(&shared->places));
        OK(pthread_mutex_lock(&shared->mutex));
        add(&shared->history, who);
        OK(pthread_mutex_unlock(&shared->mutex));
        MUST(sem_post(&shared->places));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    shared = shared_memory(sizeof *shared);
    pthread_mutexattr_t attributes;
    OK(pthread_mutexattr_init(&attributes));
    OK(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
    OK(pthread_mutex_init(&shared->mutex, &attributes));
    MUST(sem_init(&shared->places, 1, 2));
    team_size /= 2;
    pid_t child = MUST(fork());
    if (child == 0)
        first = team_size;
    run_team(compete);
    if (child == 0)
        _exit(0);
    wait_for_children();
    show("both", &shared->history);
}
