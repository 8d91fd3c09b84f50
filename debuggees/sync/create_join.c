// Phenomenon: threads that create threads; join, tryjoin and timedjoin with their results.
// Nondeterministic: which tries find the thread still running, the order of the work.
#include "team.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history history;
static char outcomes[MOST_THREADS + 1];

static void *grandchild(void *number)
{
    idle();
    OK(pthread_mutex_lock(&mutex));
    add(&history, (long)number);
    OK(pthread_mutex_unlock(&mutex));
    return (void *)((long)number * 2);
}

static void *child(void *number)
{
    long who = (long)number;
    pthread_t thread;
    void *result = NULL;
    OK(pthread_create(&thread, NULL, grandchild, number));
    idle();
    int outcome;
    if (who % 3 == 0) {
        outcome = pthread_tryjoin_np(thread, &result);
    } else if (who % 3 == 1) {
        struct timespec until = moment(CLOCK_REALTIME, 30);
        outcome = pthread_timedjoin_np(thread, &result, &until);
    } else {
        struct timespec until = moment(CLOCK_MONOTONIC, 30);
        outcome = pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &until);
    }
    outcomes[who] = outcome == 0 ? '+' : outcome == EBUSY ? 'b' : outcome == ETIMEDOUT ? 't' : '?';
    if (outcome != 0)
        OK(pthread_join(thread, &result));
    return (void *)((long)result + 1);
}

int main(int count, char **words)
{
    read_team_size(count, words);
    pthread_t threads[MOST_THREADS];
    long total = 0;
    for (long i = 0; i < team_size; i++)
        OK(pthread_create(&threads[i], NULL, child, (void *)i));
    for (int i = 0; i < team_size; i++) {
        void *result;
        OK(pthread_join(threads[i], &result));
        total += (long)result;
    }
    show("grandchildren", &history);
    printf("%s, total %ld\n", outcomes, total);
}
