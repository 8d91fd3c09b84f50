// Phenomenon: a named semaphore, opened twice and unlinked at once, orders the threads.
// Nondeterministic: the order.
#include "team.h"
#include <semaphore.h>

static sem_t *first, *second;
static struct history history;

static void *compete(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 2; i++) {
        MUST(sem_wait(who % 2 ? first : second));
        add(&history, who);
        MUST(sem_post(who % 2 ? second : first));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    char name[64];
    snprintf(name, sizeof name, "/wayfarer-debuggee-%d", getpid());
    first = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    second = sem_open(name, 0);
    if (first == SEM_FAILED || second == SEM_FAILED)
        MUST(-1);
    MUST(sem_unlink(name));
    run_team(compete);
    show("named", &history);
    MUST(sem_close(first));
}
