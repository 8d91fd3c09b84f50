/*
 * locks KIND [NUMBER [THREADS]]: prints what pthread's locks cost.
 *
 *   mutex     nanoseconds for an uncontended pair of lock and unlock
 *   many      the same over 1,000 mutexes
 *   rwlock    the same for rdlock and unlock, write: for wrlock and unlock, semaphore: for post and wait,
 *             condition: for a signal
 *   contend   seconds for NUMBER acquisitions of one lock by THREADS threads together
 *   owner     NUMBER acquisitions by one thread; prints how many there were
 *   turns     NUMBER turns of two threads, each turn a mutex and two semaphores; prints the accesses
 *
 * Nanoseconds are the median of several batches, so that a batch that was preempted does not count. A
 * second thread sleeps all the while: programs with one thread have no order to record.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 41, PAIRS = 100000, MUTEXES = 1000, MOST_THREADS = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, many[MUTEXES];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore, sleeper, turns[2];
static long number = 1000000, threads = 2, counter;

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void mutex_pair(int index) {
    (void)index;
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
}

static void many_pair(int index) {
    pthread_mutex_lock(&many[index % MUTEXES]);
    counter++;
    pthread_mutex_unlock(&many[index % MUTEXES]);
}

static void rwlock_pair(int index) {
    (void)index;
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static void write_pair(int index) {
    (void)index;
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static void semaphore_pair(int index) {
    (void)index;
    sem_post(&semaphore);
    sem_wait(&semaphore);
}

static void condition_signal(int index) {
    (void)index;
    pthread_cond_signal(&condition);
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void measure(void (*pair)(int)) {
    double times[BATCHES + 1];
    for (int batch = 0; batch <= BATCHES; batch++) {
        double began = now_ns();
        for (int index = 0; index < PAIRS; index++)
            pair(index);
        times[batch] = (now_ns() - began) / PAIRS;
    }
    /* The first batch warms the caches. */
    qsort(times + 1, BATCHES, sizeof times[0], ascending);
    printf("%.2f\n", times[1 + BATCHES / 2]);
}

static void *sleep_on(void *unused) {
    sem_wait(&sleeper);
    return unused;
}

static void *compete(void *unused) {
    for (long done = 0; done < number / threads; done++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
        for (int work = 0; work < 20; work++)
            __asm__ volatile("");
    }
    return unused;
}

static void *alternate(void *argument) {
    long me = (long)argument;
    for (long turn = 0; turn < number / 2; turn++) {
        sem_wait(&turns[me]);
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
        sem_post(&turns[1 - me]);
    }
    return NULL;
}

static void run(void *(*function)(void *), long count) {
    pthread_t started[MOST_THREADS];
    for (long index = 0; index < count; index++)
        pthread_create(&started[index], NULL, function, (void *)index);
    for (long index = 0; index < count; index++)
        pthread_join(started[index], NULL);
}

int main(int count, char **words) {
    const char *kind = count > 1 ? words[1] : "";
    if (count > 2)
        number = atol(words[2]);
    if (count > 3)
        threads = atol(words[3]);
    if (threads < 1 || threads > MOST_THREADS)
        return 2;
    for (int index = 0; index < MUTEXES; index++)
        pthread_mutex_init(&many[index], NULL);
    sem_init(&semaphore, 0, 0);
    sem_init(&sleeper, 0, 0);
    sem_init(&turns[0], 0, 1);
    sem_init(&turns[1], 0, 0);
    pthread_t other;
    pthread_create(&other, NULL, sleep_on, NULL);
    if (strcmp(kind, "mutex") == 0) {
        measure(mutex_pair);
    } else if (strcmp(kind, "many") == 0) {
        measure(many_pair);
    } else if (strcmp(kind, "rwlock") == 0) {
        measure(rwlock_pair);
    } else if (strcmp(kind, "write") == 0) {
        measure(write_pair);
    } else if (strcmp(kind, "semaphore") == 0) {
        measure(semaphore_pair);
    } else if (strcmp(kind, "condition") == 0) {
        measure(condition_signal);
    } else if (strcmp(kind, "contend") == 0) {
        double began = now_ns();
        run(compete, threads);
        printf("%.4f\n", (now_ns() - began) / 1e9);
    } else if (strcmp(kind, "owner") == 0) {
        for (int index = 0; index < number; index++)
            mutex_pair(index);
        printf("%ld\n", number);
    } else if (strcmp(kind, "turns") == 0) {
        run(alternate, 2);
        printf("%ld\n", number / 2 * 2 * 3);
    } else {
        fprintf(stderr, "usage: locks mutex|many|rwlock|write|semaphore|condition|contend|owner|turns"
                        " [NUMBER [THREADS]]\n");
        return 2;
    }
    sem_post(&sleeper);
    pthread_join(other, NULL);
    return 0;
}
