// Phenomenon: pthread_barrier_wait gives PTHREAD_BARRIER_SERIAL_THREAD to one thread of each round.
// Nondeterministic: to which.
#include "team.h"

static pthread_barrier_t barrier;
static struct history chosen;

static void *meet(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 8; i++) {
        idle();
        int result = pthread_barrier_wait(&barrier);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD)
            add(&chosen, who);
        else
            OK(result);
        pthread_barrier_wait(&barrier); // Keeps the next round from adding at the same time.
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    OK(pthread_barrier_init(&barrier, NULL, team_size));
    run_team(meet);
    show("serial", &chosen);
    OK(pthread_barrier_destroy(&barrier));
}
