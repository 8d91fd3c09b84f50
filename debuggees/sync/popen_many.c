// Phenomenon: processes behind streams and commands, started by many threads.
// Nondeterministic: the order of them, and of their ends.
#include "team.h"
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history done;

static void *run(void *number)
{
    long who = (long)number;
    for (int i = 0; i < 1 + rounds() / 300; i++) {
        char text[100] = "";
        FILE *stream = popen("echo here", "r");
        if (stream == NULL || fgets(text, sizeof text, stream) == NULL || strcmp(text, "here\n") != 0)
            _exit(97);
        MUST(pclose(stream));
        MUST(system("true"));
        OK(pthread_mutex_lock(&mutex));
        add(&done, (int)who);
        OK(pthread_mutex_unlock(&mutex));
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(run);
    show("done", &done);
}
