// Bug: lost wake-up. The waiter looks at the flag before it takes the lock; the signal may come in between
// and finds nobody. Pattern: Lampson and Redell, "Experience with Processes and Monitors in Mesa", 1980.
// The watchdog ends it with status 42.
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int ready;

static void *wait_for_it(void *argument)
{
    dawdle(50);
    if (!ready) {
        dawdle(100);
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

static void *tell(void *argument)
{
    dawdle(120);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    watch_out();
    run_two(wait_for_it, tell, NULL);
    printf("woken\n");
}
