// Phenomenon: threads compete for one mutex.
// Nondeterministic: the order in which they get it.
#include "../support.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char order[401];
static int taken;

static void *compete(void *letter)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&mutex);
        order[taken++] = *(char *)letter;
        pthread_mutex_unlock(&mutex);
        if (i % 10 == 0)
            getppid();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    char letters[4] = "abcd";
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, compete, &letters[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n%d\n", order, getpid());
}
