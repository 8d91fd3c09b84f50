// Phenomenon: the main thread ends by pthread_exit; the others go on and end the process.
// Nondeterministic: thread ids, order of the words.
#include "../support.h"
#include <pthread.h>

static void *go_on(void *argument)
{
    for (int i = 0; i < 4; i++) {
        sleep_us(random_below(500));
        say("%ld.%d by %d\n", (long)argument, i, gettid());
    }
    return NULL;
}

int main(void)
{
    for (long i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, go_on, (void *)i);
    }
    say("main %d leaves\n", gettid());
    pthread_exit(NULL);
}
