// Phenomenon: pthread_mutex_trylock, which often finds the mutex taken.
// Nondeterministic: which tries succeed, and the order.
#include "team.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history history;
static uint32_t outcomes[MOST_THREADS];
static int busy[MOST_THREADS];

static void *try(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds(); i++) {
        int result = pthread_mutex_trylock(&mutex);
        outcomes[who] = checksum(outcomes[who], &result, sizeof result);
        if (result == 0) {
            add(&history, who);
            idle();
            OK(pthread_mutex_unlock(&mutex));
        } else {
            GIVES(EBUSY, result);
            busy[who]++;
        }
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(try);
    show("trylock", &history);
    for (int i = 0; i < team_size; i++)
        printf("%d:%08x ", busy[i], outcomes[i]);
    printf("\n");
}
