// Phenomenon: printf, puts, putchar and flockfile by many threads on one stream, and on one more file.
// Nondeterministic: the order of the lines.
#include "team.h"

static FILE *other;

static void *print(void *number)
{
    long who = (long)number;
    for (int i = 0; i <= rounds() / 32; i++) {
        printf("thread %ld line %d\n", who, i);
        idle();
        flockfile(stdout);
        putchar_unlocked('a' + who % 26);
        puts(" has it");
        funlockfile(stdout);
        fprintf(other, "%ld ", who);
        putchar('.');
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    other = tmpfile();
    if (!other)
        MUST(-1);
    setvbuf(stdout, NULL, team_size == 8 ? _IOLBF : _IOFBF, 4096);
    run_team(print);
    printf("\nother: %08x\n", checksum_of(other));
}
