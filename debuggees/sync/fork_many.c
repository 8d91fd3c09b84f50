// Phenomenon: many threads fork, with handlers that keep a lock in order across the fork, while others use the lock and the
// heap; the children use both.
// Nondeterministic: how far the count is in each child, who forks when.
#include "team.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void keep(void) { OK(pthread_mutex_lock(&mutex)); }
static void give(void) { OK(pthread_mutex_unlock(&mutex)); }

static void *work(void *number)
{
    long who = (long)number;
    for (int round = 0; round < (team_size > 8 ? 1 : 3); round++) {
        for (int i = 0; i < rounds() / 10; i++) {
            OK(pthread_mutex_lock(&mutex));
            count++;
            OK(pthread_mutex_unlock(&mutex));
            void *volatile block = malloc(100 + (size_t)i);
            free(block);
        }
        pid_t child = MUST(fork());
        if (child == 0) {
            OK(pthread_mutex_lock(&mutex));
            void *volatile block = malloc(64);
            say("child of %ld at %d, %d\n", who, count, getpid());
            free(block);
            OK(pthread_mutex_unlock(&mutex));
            _exit(0);
        }
        MUST(waitpid(child, NULL, 0));
    }
    return NULL;
}

int main(int words_count, char **words)
{
    read_team_size(words_count, words);
    OK(pthread_atfork(keep, give, give));
    run_team(work);
    printf("%d counted\n", count);
    return 0;
}
