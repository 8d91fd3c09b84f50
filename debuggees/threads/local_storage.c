// Phenomenon: thread-local variables and keys with destructors.
// Nondeterministic: thread ids, random values, order of the destructors.
#include "../support.h"
#include <pthread.h>

static __thread unsigned mine;
static pthread_key_t key;

static void destroy(void *value)
{
    say("destructor of %d frees %s\n", gettid(), (char *)value);
    free(value);
}

static void *run(void *argument)
{
    mine = random_below(1000000);
    char *text = malloc(32);
    snprintf(text, 32, "%d/%u", gettid(), mine);
    pthread_setspecific(key, text);
    sched_yield();
    say("thread %ld: %u, errno at %s\n", (long)argument, mine, errno == 0 ? "zero" : "other");
    return NULL;
}

int main(void)
{
    pthread_key_create(&key, destroy);
    pthread_t threads[6];
    for (long i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    say("main %u\n", mine);
}
