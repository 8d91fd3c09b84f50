// Phenomenon: pthread_once: one thread runs the function, the others wait for it.
// Nondeterministic: which thread it is, for each of many controls.
#include "team.h"

enum { CONTROLS = 24 };

static pthread_once_t controls[CONTROLS];
static __thread int me;
static int runner[CONTROLS], values[MOST_THREADS];
static __thread int current;

static void first(void)
{
    runner[current] = me + 1;
    idle();
}

static void *arrive(void *number)
{
    me = (int)(long)number;
    for (current = 0; current < CONTROLS; current++) {
        idle();
        OK(pthread_once(&controls[current], first));
        values[me] = values[me] * 31 + runner[current];
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    for (int i = 0; i < CONTROLS; i++)
        controls[i] = PTHREAD_ONCE_INIT;
    run_team(arrive);
    for (int i = 0; i < CONTROLS; i++)
        printf("%d ", runner[i]);
    printf("\n%08x\n", values[0]);
    for (int i = 1; i < team_size; i++)
        if (values[i] != values[0])
            return 98;
}
