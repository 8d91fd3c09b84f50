// Phenomenon: a bounded queue with two condition variables and pthread_cond_signal.
// Nondeterministic: who produces and who consumes what.
#include "team.h"

enum { PLACES = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int queue[PLACES], held, waits;
static struct history produced, consumed;

static void *work(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 2; i++) {
        OK(pthread_mutex_lock(&mutex));
        if (who % 2 == 0) {
            for (; held == PLACES; waits++)
                OK(pthread_cond_wait(&emptied, &mutex));
            queue[held++] = who;
            add(&produced, who);
            OK(pthread_cond_signal(&filled));
        } else {
            for (; held == 0; waits++)
                OK(pthread_cond_wait(&filled, &mutex));
            add(&consumed, who ^ queue[--held]);
            OK(pthread_cond_signal(&emptied));
        }
        OK(pthread_mutex_unlock(&mutex));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(work);
    show("produced", &produced);
    show("consumed", &consumed);
    printf("%d waits\n", waits);
}
