// Phenomenon: semaphores as places in a room and as a queue of permits; sem_getvalue in between.
// Nondeterministic: who enters when, and the values seen.
#include "team.h"
#include <semaphore.h>

static sem_t places, baton;
static struct history history;
static uint32_t seen[MOST_THREADS];

static void *enter(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 2; i++) {
        MUST(sem_wait(&places));
        MUST(sem_wait(&baton));
        add(&history, who);
        MUST(sem_post(&baton));
        MUST(sem_post(&places));
        if (i % 8 == 0) {
            int value;
            MUST(sem_getvalue(&places, &value));
            seen[who] = checksum(seen[who], &value, sizeof value);
        }
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    MUST(sem_init(&places, 0, 2));
    MUST(sem_init(&baton, 0, 1));
    run_team(enter);
    show("semaphore", &history);
    for (int i = 0; i < team_size; i++)
        printf("%08x ", seen[i]);
    printf("\n");
    MUST(sem_destroy(&places));
}
