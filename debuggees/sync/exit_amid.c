// Phenomenon: a process ends by exit while all its other threads go on locking and printing for ever.
// Nondeterministic: who ends it, and what the others have printed by then.
#include "team.h"

enum { LAST = 3000, EVERY = 50 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

// Has to get the lock that everybody else wants, too.
static void at_the_end(void)
{
    OK(pthread_mutex_lock(&mutex));
    printf("ended behind %d\n", count);
    OK(pthread_mutex_unlock(&mutex));
}

static void *go_on(void *number)
{
    for (;;) {
        OK(pthread_mutex_lock(&mutex));
        int mine = ++count;
        if (mine % EVERY == 0)
            printf("%ld at %d\n", (long)number, mine);
        OK(pthread_mutex_unlock(&mutex));
        if (mine == LAST)
            exit(0);
    }
}

int main(int arguments, char **words)
{
    read_team_size(arguments, words);
    if (atexit(at_the_end) != 0)
        return 98;
    for (long i = 0; i < team_size; i++) {
        pthread_t thread;
        OK(pthread_create(&thread, NULL, go_on, (void *)i));
        OK(pthread_detach(thread));
    }
    for (;;)
        pause();
}
