// Phenomenon: threads cancelled in a condition wait, in sem_wait, in a sleep and at a test point.
// Nondeterministic: how far each came, the order of the clean-up handlers.
#include "team.h"
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t closed;
static struct history cleaned;
static int progress[MOST_THREADS];

static void unlock(void *unused)
{
    (void)unused;
    OK(pthread_mutex_unlock(&mutex));
}

static void clean(void *number)
{
    OK(pthread_mutex_lock(&mutex));
    add(&cleaned, (long)number);
    OK(pthread_mutex_unlock(&mutex));
}

static void *run(void *number)
{
    long who = (long)number;
    pthread_cleanup_push(clean, number);
    for (;;) {
        progress[who]++;
        if (who % 4 == 0) {
            OK(pthread_mutex_lock(&mutex));
            pthread_cleanup_push(unlock, NULL);
            OK(pthread_cond_wait(&never, &mutex));
            pthread_cleanup_pop(1);
        } else if (who % 4 == 1) {
            sem_wait(&closed);
        } else if (who % 4 == 2) {
            sleep_us(20);
        } else {
            pthread_testcancel();
            idle();
            sched_yield();
        }
    }
    pthread_cleanup_pop(0);
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    MUST(sem_init(&closed, 0, 0));
    pthread_t threads[MOST_THREADS];
    for (long i = 0; i < team_size; i++)
        OK(pthread_create(&threads[i], NULL, run, (void *)i));
    sleep_us(500);
    for (int i = 0; i < team_size; i++)
        OK(pthread_cancel(threads[i]));
    for (int i = 0; i < team_size; i++) {
        void *result;
        OK(pthread_join(threads[i], &result));
        if (result != PTHREAD_CANCELED)
            return 98;
    }
    show("cleaned", &cleaned);
    for (int i = 0; i < team_size; i++)
        printf("%d ", progress[i]);
    printf("\n");
}
