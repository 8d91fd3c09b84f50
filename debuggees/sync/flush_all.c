// Phenomenon: fflush(NULL) by many threads that write to streams, open them and close them.
// Nondeterministic: the order of the lines, and who writes what.
#include "team.h"

static FILE *shared;

static void *write_and_flush(void *number)
{
    long who = (long)number;
    for (int i = 0; i <= rounds() / 16; i++) {
        FILE *own = fopen("/dev/null", "w");
        if (!own)
            MUST(-1);
        fprintf(own, "%d\n", i);
        printf("thread %ld line %d\n", who, i);
        idle();
        fprintf(shared, "%ld ", who);
        if (i % 2 == 0)
            MUST(fflush(NULL));
        fprintf(shared, "%d\n", i);
        MUST(fclose(own));
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    shared = tmpfile();
    if (!shared)
        MUST(-1);
    run_team(write_and_flush);
    printf("shared: %08x\n", checksum_of(shared));
}
