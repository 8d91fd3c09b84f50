// Phenomenon: threads cancelled while they join another or wait with a time limit, and threads that put the
// cancellation off.
// Nondeterministic: how far each came, the order of the ends.
#include "team.h"
#include <errno.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t closed;
static struct history ended;
static int progress[MOST_THREADS];

static void finish(void *number)
{
    OK(pthread_mutex_lock(&mutex));
    add(&ended, (long)number);
    OK(pthread_mutex_unlock(&mutex));
}

static void unlock(void *unused)
{
    (void)unused;
    OK(pthread_mutex_unlock(&mutex));
}

static void *stay(void *unused)
{
    for (;;)
        sem_wait(&closed);
    return unused;
}

static void wait_in_vain(void)
{
    struct timespec until = moment(CLOCK_REALTIME, 50);
    OK(pthread_mutex_lock(&mutex));
    pthread_cleanup_push(unlock, NULL);
    int result = pthread_cond_timedwait(&never, &mutex, &until);
    if (result != ETIMEDOUT)
        OK(result);
    pthread_cleanup_pop(1);
}

static void put_off(void)
{
    int before;
    OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before));
    sleep_us(30);
    OK(pthread_setcancelstate(before, NULL));
    pthread_testcancel();
}

static void go_on(long who)
{
    pthread_t other;
    OK(pthread_create(&other, NULL, stay, NULL));
    for (;;) {
        progress[who]++;
        if (who % 3 == 0)
            pthread_join(other, NULL);
        else if (who % 3 == 1)
            wait_in_vain();
        else
            put_off();
    }
}

static void *run(void *number)
{
    pthread_cleanup_push(finish, number);
    go_on((long)number);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    int size = team_size / 2;
    MUST(sem_init(&closed, 0, 0));
    pthread_t threads[MOST_THREADS];
    for (long i = 0; i < size; i++)
        OK(pthread_create(&threads[i], NULL, run, (void *)i));
    sleep_us(400);
    for (int i = 0; i < size; i++)
        OK(pthread_cancel(threads[i]));
    for (int i = 0; i < size; i++) {
        void *result;
        OK(pthread_join(threads[i], &result));
        if (result != PTHREAD_CANCELED)
            return 98;
    }
    show("ended", &ended);
    for (int i = 0; i < size; i++)
        printf("%d ", progress[i]);
    printf("\n");
}
