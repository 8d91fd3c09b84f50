// Phenomenon: pthread_mutex_timedlock and pthread_mutex_clocklock against an owner that sometimes sleeps.
// Nondeterministic: who gets it in time, and the order.
#include "team.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history history;
static char outcomes[MOST_THREADS][40];

static void *compete(void *number)
{
    long who = (long)number;
    for (int i = 0; i < (team_size > 8 ? 8 : 24); i++) {
        struct timespec until = moment(i % 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME, 150);
        int result = i % 2 ? pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until)
                           : pthread_mutex_timedlock(&mutex, &until);
        outcomes[who][i] = result == 0 ? '+' : result == ETIMEDOUT ? '-' : '?';
        if (result == 0) {
            add(&history, who);
            if (i % 4 == 1)
                sleep_us(80);
            OK(pthread_mutex_unlock(&mutex));
        }
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(compete);
    show("timed", &history);
    for (int i = 0; i < team_size; i++)
        printf("%s\n", outcomes[i]);
}
