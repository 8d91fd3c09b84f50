// Phenomenon: read-write locks whose readers and writers come in an order that is known, and one that many
// threads read and write at once.
// Nondeterministic: who has the crowded lock when, and so what the writers leave behind.
#include "../support.h"
#include <pthread.h>

enum { MANY = 20000, CROWD = 4, CROWD_READS = 300, CROWD_WRITES = 100 };

static pthread_rwlock_t book = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t busy = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t crowded = PTHREAD_RWLOCK_INITIALIZER;
static unsigned trail;

static void unlock_if(pthread_rwlock_t *lock, int result)
{
    if (result != 0)
        _exit(99);
    pthread_rwlock_unlock(lock);
}

static void reads(pthread_rwlock_t *lock, int times)
{
    for (int i = 0; i < times; i++)
        unlock_if(lock, pthread_rwlock_rdlock(lock));
}

static void writes(pthread_rwlock_t *lock, int times)
{
    for (int i = 0; i < times; i++)
        unlock_if(lock, pthread_rwlock_wrlock(lock));
}

static void *first(void *nothing)
{
    reads(&book, 2);
    unlock_if(&book, pthread_rwlock_tryrdlock(&book));
    writes(&book, 2);
    reads(&book, 1);
    reads(&busy, MANY);
    writes(&busy, 1);
    reads(&busy, MANY);
    return nothing;
}

static void *second(void *nothing)
{
    unlock_if(&book, pthread_rwlock_trywrlock(&book));
    reads(&book, 4);
    // Two readers at once, and a writer who has to look again.
    pthread_rwlock_rdlock(&book);
    pthread_rwlock_rdlock(&book);
    if (pthread_rwlock_trywrlock(&book) == 0)
        _exit(99);
    pthread_rwlock_unlock(&book);
    pthread_rwlock_unlock(&book);
    writes(&book, 1);
    reads(&busy, 2);
    return nothing;
}

static void *crowd(void *number)
{
    for (int i = 0; i < CROWD_READS; i++) {
        reads(&crowded, 1);
        if (i % (CROWD_READS / CROWD_WRITES) == 0) {
            pthread_rwlock_wrlock(&crowded);
            trail = trail * 31 + (unsigned)(long)number;
            pthread_rwlock_unlock(&crowded);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t thread, threads[CROWD];
    pthread_create(&thread, NULL, first, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, second, NULL);
    pthread_join(thread, NULL);
    reads(&book, 1);
    writes(&busy, 1);
    for (long i = 0; i < CROWD; i++)
        pthread_create(&threads[i], NULL, crowd, (void *)i);
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    printf("%08x\n", trail);
    return 0;
}
