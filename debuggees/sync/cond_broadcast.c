// Phenomenon: a turnstile made from pthread_cond_broadcast: all wait for the slowest, many times.
// Nondeterministic: the order of arrival, and the order of waking up.
#include "team.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int arrived, generation;
static struct history came, woke;

static void *pass(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 8; i++) {
        idle();
        OK(pthread_mutex_lock(&mutex));
        add(&came, who);
        int mine = generation;
        if (++arrived == team_size) {
            arrived = 0;
            generation++;
            OK(pthread_cond_broadcast(&opened));
        }
        while (mine == generation)
            OK(pthread_cond_wait(&opened, &mutex));
        add(&woke, who);
        OK(pthread_mutex_unlock(&mutex));
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(pass);
    show("came", &came);
    show("woke", &woke);
    OK(pthread_cond_destroy(&opened));
}
