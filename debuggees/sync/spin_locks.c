// Phenomenon: spin locks, taken by lock and by trylock.
// Nondeterministic: the order, and which tries fail.
#include "team.h"

static pthread_spinlock_t spin;
static struct history history;
static int busy[MOST_THREADS];

static void *compete(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds(); i++) {
        if (i % 2 || pthread_spin_trylock(&spin) == EBUSY) {
            busy[who] += i % 2 == 0;
            OK(pthread_spin_lock(&spin));
        }
        add(&history, who);
        OK(pthread_spin_unlock(&spin));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    OK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    run_team(compete);
    show("spin", &history);
    for (int i = 0; i < team_size; i++)
        printf("%d ", busy[i]);
    printf("\n");
    OK(pthread_spin_destroy(&spin));
}
