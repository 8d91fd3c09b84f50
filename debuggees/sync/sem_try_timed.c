// Phenomenon: sem_trywait, sem_timedwait and sem_clockwait against posts that may come too late.
// Nondeterministic: which waits succeed.
#include "team.h"
#include <semaphore.h>

static sem_t permits;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history got;
static char outcomes[MOST_THREADS][64];

static void *work(void *number)
{
    long who = (long)number;
    int length = 0;
    for (int i = 0; i < (team_size > 8 ? 9 : 45); i++) {
        if (who % 2) {
            MUST(sem_post(&permits));
            if (i % 3 == 0)
                sleep_us(50);
            continue;
        }
        struct timespec until = moment(i % 3 == 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC, 40);
        int result = i % 3 == 0   ? sem_trywait(&permits)
                     : i % 3 == 1 ? sem_timedwait(&permits, &until)
                                  : sem_clockwait(&permits, CLOCK_MONOTONIC, &until);
        outcomes[who][length++] = result == 0 ? '+' : errno == EAGAIN ? '0' : errno == ETIMEDOUT ? '-' : '?';
        if (result == 0) {
            OK(pthread_mutex_lock(&mutex));
            add(&got, who);
            OK(pthread_mutex_unlock(&mutex));
        }
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    MUST(sem_init(&permits, 0, 0));
    run_team(work);
    show("permits", &got);
    for (int i = 0; i < team_size; i += 2)
        printf("%s\n", outcomes[i]);
    int value;
    MUST(sem_getvalue(&permits, &value));
    printf("%d left\n", value);
}
