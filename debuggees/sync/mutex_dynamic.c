// Phenomenon: mutexes on the heap, made and destroyed at run time, each thread wandering over all of them.
// Nondeterministic: the order at each of them.
#include "team.h"

enum { MUTEXES = 5 };

struct account {
    pthread_mutex_t mutex;
    struct history history;
};

static struct account *accounts[MUTEXES];

static void *wander(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds(); i++) {
        struct account *account = accounts[(who * 3 + i) % MUTEXES];
        OK(pthread_mutex_lock(&account->mutex));
        add(&account->history, who);
        OK(pthread_mutex_unlock(&account->mutex));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    for (int i = 0; i < MUTEXES; i++) {
        accounts[i] = calloc(1, sizeof(struct account));
        OK(pthread_mutex_init(&accounts[i]->mutex, NULL));
    }
    run_team(wander);
    for (int i = 0; i < MUTEXES; i++) {
        show("account", &accounts[i]->history);
        OK(pthread_mutex_destroy(&accounts[i]->mutex));
        free(accounts[i]);
    }
}
