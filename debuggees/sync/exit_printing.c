// Phenomenon: the process ends by exit while its threads go on printing.
// Nondeterministic: what was printed by then.
#include "team.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *print(void *number)
{
    for (;;) {
        OK(pthread_mutex_lock(&mutex));
        int mine = ++count;
        OK(pthread_mutex_unlock(&mutex));
        if (mine % 4 == 0)
            printf("%ld at %d\n", (long)number, mine);
        if (mine == ACCESSES)
            exit(0);
        idle();
    }
}

int main(int words_count, char **words)
{
    read_team_size(words_count, words);
    run_team(print);
    return 0;
}
