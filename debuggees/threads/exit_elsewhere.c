// Phenomenon: a second thread ends the whole process while others compute and block.
// Nondeterministic: the exit status and how far the counter came.
#include "../support.h"
#include <pthread.h>

static volatile long counter;

static void *count(void *argument)
{
    for (;;) {
        counter++;
        getppid();
    }
    return argument;
}

static void *leave(void *argument)
{
    (void)argument;
    sleep_us(1000 + random_below(1000));
    say("leaving with counter %ld from %d\n", counter, gettid());
    exit(random_below(90));
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, leave, NULL);
    pthread_join(threads[1], NULL);
    return 200;
}
