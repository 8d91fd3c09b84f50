/*
 * much_input: four threads read 32 MB of random bytes from outside, in rounds that none begins before all have ended
 * the last one, and count them under a lock. For a recording that runs out of room: whoever stops recording first must
 * not leave the others waiting.
 */
#include "../support.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 2000, BYTES = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t line;
static long total;

static void *reader(void *unused) {
    (void)unused;
    int source = (int)MUST(open("/dev/urandom", O_RDONLY | O_CLOEXEC));
    for (int round = 0; round < ROUNDS; round++) {
        char bytes[BYTES];
        long count = MUST(read(source, bytes, sizeof bytes));
        pthread_mutex_lock(&lock);
        total += count;
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&line);
    }
    close(source);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&line, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        MUST(-(pthread_create(&threads[i], NULL, reader, NULL) != 0));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
    return 0;
}
