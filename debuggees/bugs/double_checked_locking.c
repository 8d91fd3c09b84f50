// Bug: double-checked locking. The object is published before it is complete, and the quick check takes no
// lock. Pattern: Bacon et al., "The Double-Checked Locking is Broken Declaration", 2000.
// Fails with status 1 when a thread sees the object without its contents.
#include "bug.h"

struct settings {
    volatile int port;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct settings *volatile settings;

static struct settings *get(void)
{
    if (!settings) {
        pthread_mutex_lock(&mutex);
        if (!settings) {
            settings = calloc(1, sizeof *settings);
            dawdle(50); // Reads a file, say.
            settings->port = 8080;
        }
        pthread_mutex_unlock(&mutex);
    }
    return settings;
}

static void *use(void *argument)
{
    dawdle(100);
    return get()->port == 8080 ? NULL : argument;
}

int main(void)
{
    pthread_t threads[3];
    int incomplete = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, use, &incomplete);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        incomplete += result != NULL;
    }
    printf("%d of 3 saw it incomplete, pid %d\n", incomplete, getpid());
    return incomplete ? WRONG : 0;
}
