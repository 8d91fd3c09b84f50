// Phenomenon: condition variables as programs of 2002 asked for them, the first version of their functions.
// Nondeterministic: who takes what in which order, which timed waits end by themselves.
#include "team.h"
#include <errno.h>

#define FIRST(name) __asm__(".symver " #name ", " #name "@GLIBC_2.2.5")
FIRST(pthread_cond_init);
FIRST(pthread_cond_destroy);
FIRST(pthread_cond_wait);
FIRST(pthread_cond_timedwait);
FIRST(pthread_cond_signal);
FIRST(pthread_cond_broadcast);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied;
static struct history history;
static int stored, missed;

// Half of the team stores things, the other half takes them away.
static void *work(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds(); i++) {
        OK(pthread_mutex_lock(&mutex));
        if (who % 2 == 0) {
            while (stored == 3)
                OK(pthread_cond_wait(&emptied, &mutex));
            stored++;
            OK(pthread_cond_signal(&filled));
        } else {
            while (stored == 0) {
                struct timespec until = moment(CLOCK_REALTIME, 300);
                int result = pthread_cond_timedwait(&filled, &mutex, &until);
                if (result == ETIMEDOUT)
                    missed++;
                else
                    OK(result);
            }
            stored--;
            OK(pthread_cond_broadcast(&emptied));
        }
        add(&history, who);
        OK(pthread_mutex_unlock(&mutex));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    OK(pthread_cond_init(&emptied, NULL));
    run_team(work);
    show("all", &history);
    printf("%d missed\n", missed);
    OK(pthread_cond_destroy(&emptied));
}
