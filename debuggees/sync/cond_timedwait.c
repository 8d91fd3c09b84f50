// Phenomenon: pthread_cond_timedwait on both clocks and pthread_cond_clockwait, some in time, some not.
// Nondeterministic: which waits time out, and the order of waking up.
#include "team.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t plain = PTHREAD_COND_INITIALIZER, steady;
static struct history in_time, too_late;
static int left;

static void *wait_or_signal(void *number)
{
    long who = (long)number;
    for (int i = 0; i < (team_size > 8 ? 6 : 30); i++) {
        OK(pthread_mutex_lock(&mutex));
        if (who % 2 == 0) {
            struct timespec until = moment(i % 3 ? CLOCK_MONOTONIC : CLOCK_REALTIME, 120);
            int result = i % 3 == 0   ? pthread_cond_timedwait(&plain, &mutex, &until)
                         : i % 3 == 1 ? pthread_cond_timedwait(&steady, &mutex, &until)
                                      : pthread_cond_clockwait(&plain, &mutex, CLOCK_MONOTONIC, &until);
            add(result == ETIMEDOUT ? &too_late : &in_time, who);
        } else {
            OK(pthread_cond_signal(&plain));
            OK(i % 2 ? pthread_cond_broadcast(&steady) : pthread_cond_signal(&steady));
        }
        OK(pthread_mutex_unlock(&mutex));
        if (who % 2)
            sleep_us(60);
        idle();
    }
    OK(pthread_mutex_lock(&mutex));
    left++;
    OK(pthread_mutex_unlock(&mutex));
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    pthread_condattr_t attributes;
    OK(pthread_condattr_init(&attributes));
    OK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    OK(pthread_cond_init(&steady, &attributes));
    run_team(wait_or_signal);
    show("in time", &in_time);
    show("too late", &too_late);
    printf("%d left\n", left);
}
