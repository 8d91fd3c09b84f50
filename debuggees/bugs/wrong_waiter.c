// Bug: missed signal. Producers and consumers wait on one condition, and a signal may wake one of the wrong
// kind, which goes back to sleep. Pattern: "signal instead of broadcast", Howard 1976 and many since.
// The watchdog ends it with status 42.
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int held;

static void *produce(void *argument)
{
    for (int i = 0; i < 60; i++) {
        pthread_mutex_lock(&mutex);
        while (held == 1)
            pthread_cond_wait(&changed, &mutex);
        held = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

static void *consume(void *argument)
{
    for (int i = 0; i < 60; i++) {
        pthread_mutex_lock(&mutex);
        while (held == 0)
            pthread_cond_wait(&changed, &mutex);
        held = 0;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
        if (i % 8 == 0)
            dawdle(20);
    }
    return argument;
}

int main(void)
{
    watch_out();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? produce : consume, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("done\n");
}
