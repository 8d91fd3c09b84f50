// Phenomenon: a queue with a condition variable: two producers, two consumers, timed waits.
// Nondeterministic: who takes what, how many waits time out.
#include "../support.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queue[200], filled, taken, timeouts;
static char log_text[2000];
static int log_length;

static void *produce(void *argument)
{
    for (int i = 0; i < 30; i++) {
        pthread_mutex_lock(&mutex);
        queue[filled++] = *(int *)argument + i;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
        if (i % 8 == 0)
            sleep_us(100);
    }
    return NULL;
}

static void *consume(void *argument)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (taken == filled && taken < 60) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += 200000;
            if (until.tv_nsec >= 1000000000)
                until.tv_sec++, until.tv_nsec -= 1000000000;
            timeouts += pthread_cond_timedwait(&changed, &mutex, &until) == ETIMEDOUT;
        }
        if (taken == 60) {
            pthread_mutex_unlock(&mutex);
            return NULL;
        }
        log_length += sprintf(log_text + log_length, "%s%d ", (char *)argument, queue[taken++]);
        pthread_mutex_unlock(&mutex);
    }
}

int main(void)
{
    pthread_t threads[4];
    int first = 100, second = 200;
    pthread_create(&threads[0], NULL, consume, "a");
    pthread_create(&threads[1], NULL, consume, "b");
    pthread_create(&threads[2], NULL, produce, &first);
    pthread_create(&threads[3], NULL, produce, &second);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n%d timeouts, pid %d\n", log_text, timeouts, getpid());
}
