// Phenomenon: thread-specific data: keys made at run time, destructors that set a value again.
// Nondeterministic: the order of the destructors of different threads.
#include "team.h"

static pthread_key_t names, counts;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history freed, again;

static void drop_name(void *value)
{
    OK(pthread_mutex_lock(&mutex));
    add(&freed, ((char *)value)[0]);
    OK(pthread_mutex_unlock(&mutex));
    free(value);
}

static void drop_count(void *value)
{
    long count = (long)value;
    OK(pthread_mutex_lock(&mutex));
    add(&again, (int)count);
    OK(pthread_mutex_unlock(&mutex));
    if (count % 4)
        OK(pthread_setspecific(counts, (void *)(count - 1))); // It is called again for this one.
}

static void *work(void *number)
{
    char *name = malloc(16);
    name[0] = (char)(long)number;
    OK(pthread_setspecific(names, name));
    OK(pthread_setspecific(counts, (void *)((long)number % 4 + 4)));
    for (int i = 0; i < 20; i++) {
        idle();
        if (pthread_getspecific(names) != name)
            _exit(98);
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    OK(pthread_key_create(&names, drop_name));
    OK(pthread_key_create(&counts, drop_count));
    for (int i = 0; i < 3; i++)
        run_team(work);
    show("freed", &freed);
    show("again", &again);
    OK(pthread_key_delete(names));
}
