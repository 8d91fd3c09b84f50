// Phenomenon: a handler that passes its signal on to another thread, while its own is anywhere, within malloc too.
// Nondeterministic: where it comes, and who is made and joined meanwhile.
#include "team.h"
#include <malloc.h>

// More would only wait for each other.
enum { SIGNALS = 100, LARGE = 300000, WORKERS = 4 };

static pthread_t first;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_over;
static struct history made;

static void pass_on(int signal)
{
    (void)signal;
    pthread_kill(first, SIGUSR2);
}

static void ignore(int signal)
{
    (void)signal;
}

static int goes_on(int me)
{
    OK(pthread_mutex_lock(&mutex));
    if (!is_over)
        add(&made, me);
    int result = !is_over;
    OK(pthread_mutex_unlock(&mutex));
    return result;
}

static void *nothing(void *argument)
{
    free(malloc(100));
    return argument;
}

static void *work(void *number)
{
    int me = (int)(long)number;
    while (me < WORKERS && goes_on(me)) {
        if (me != 1) {
            // Large enough that libc asks the kernel for it.
            char *volatile large = malloc(LARGE);
            large[0] = large[LARGE - 1] = 1;
            free(large);
        } else {
            pthread_t thread;
            OK(pthread_create(&thread, NULL, nothing, NULL));
            OK(pthread_join(thread, NULL));
        }
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    mallopt(M_MMAP_THRESHOLD, LARGE / 2);
    first = pthread_self();
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    MUST(sigaction(SIGUSR1, &action, NULL));
    action.sa_handler = ignore;
    MUST(sigaction(SIGUSR2, &action, NULL));
    pthread_t threads[MOST_THREADS];
    for (long i = 0; i < team_size; i++)
        OK(pthread_create(&threads[i], NULL, work, (void *)i));
    for (int i = 0; i < SIGNALS; i++) {
        OK(pthread_kill(threads[0], SIGUSR1));
        sleep_us(20);
    }
    OK(pthread_mutex_lock(&mutex));
    is_over = 1;
    OK(pthread_mutex_unlock(&mutex));
    for (int i = 0; i < team_size; i++)
        OK(pthread_join(threads[i], NULL));
    show("made", &made);
}
