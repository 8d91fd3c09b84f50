// Phenomenon: read-write locks, semaphores, once, spin locks.
// Nondeterministic: which version each reader sees.
#include "../support.h"
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static sem_t places;
static int version, total;

static void first(void)
{
    say("once by %d\n", gettid());
}

static void *reader(void *argument)
{
    char seen[256] = "";
    pthread_once(&once, first);
    for (int i = 0, length = 0; i < 20; i++) {
        sem_wait(&places);
        pthread_rwlock_rdlock(&lock);
        length += snprintf(seen + length, sizeof seen - length, "%d ", version);
        pthread_rwlock_unlock(&lock);
        sem_post(&places);
        pthread_spin_lock(&spin);
        total++;
        pthread_spin_unlock(&spin);
        sched_yield();
    }
    say("reader %ld: %s\n", (long)argument, seen);
    return NULL;
}

static void *writer(void *argument)
{
    pthread_once(&once, first);
    for (int i = 0; i < 40; i++) {
        pthread_rwlock_wrlock(&lock);
        version++;
        pthread_rwlock_unlock(&lock);
        if (i % 4 == 0)
            sleep_us(20);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[4];
    pthread_spin_init(&spin, 0);
    sem_init(&places, 0, 2);
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i < 3 ? reader : writer, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    say("version %d, total %d\n", version, total);
}
