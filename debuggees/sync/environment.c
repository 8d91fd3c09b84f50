// Phenomenon: an environment that many threads change.
// Nondeterministic: the order of its variables, of which more come and go all the time.
#include "team.h"

extern char **environ;

static void *run(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 4; i++) {
        char name[20];
        snprintf(name, sizeof name, "NUMBER%ld", who * 3 + i % 3);
        MUST(setenv(name, i % 2 ? "a longer text than before" : "text", 1));
        free(malloc(50));
        if (i % 5 == 0)
            MUST(unsetenv(name));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(run);
    for (char **variable = environ; *variable != NULL; variable++)
        if ((*variable)[0] == 'N' && (*variable)[1] == 'U')
            puts(*variable);
}
