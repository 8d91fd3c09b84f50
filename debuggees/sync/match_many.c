// Phenomenon: many threads match with one compiled regular expression, whose tables grow as they do.
// Nondeterministic: who matches when, and so what is allocated where.
#include "team.h"
#include <regex.h>

enum { TEXTS = 200 };

static regex_t expression;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history found;

static void *match(void *number)
{
    int me = (int)(long)number;
    for (int i = 0; i < TEXTS; i++) {
        char text[64];
        snprintf(text, sizeof text, "abc%dxyz%dqq", i * 7919, me);
        regmatch_t place[2];
        int result = regexec(&expression, text, 2, place, 0);
        if (result != 0 && result != REG_NOMATCH)
            _exit(98);
        OK(pthread_mutex_lock(&mutex));
        if (result == 0)
            add(&found, me);
        OK(pthread_mutex_unlock(&mutex));
    }
    return malloc(16);
}

int main(int count, char **words)
{
    read_team_size(count, words);
    if (regcomp(&expression, "c([0-9]*5)x.*q", REG_EXTENDED) != 0)
        return 98;
    pthread_t threads[MOST_THREADS];
    void *result;
    for (long i = 0; i < team_size; i++)
        OK(pthread_create(&threads[i], NULL, match, (void *)i));
    for (int i = 0; i < team_size; i++) {
        OK(pthread_join(threads[i], &result));
        printf("%p ", result);
    }
    printf("\n");
    show("found", &found);
}
