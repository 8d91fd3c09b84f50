// Four threads that take a mutex here and a hand-made lock in a library. Prints in which order they came there.
#include <pthread.h>
#include <stdio.h>

void hand_note(unsigned who);
unsigned hand_order(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *who)
{
    for (int i = 0; i < 2000; i++) {
        hand_note((unsigned)(long)who);
        if (i % 20 == 0) {
            pthread_mutex_lock(&mutex);
            total++;
            pthread_mutex_unlock(&mutex);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d %u\n", total, hand_order());
}
