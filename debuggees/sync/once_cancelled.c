// Phenomenon: threads cancelled within the function of a pthread_once: the next to come runs it anew.
// Nondeterministic: who runs it, how often it is given up, who comes too late.
#include "team.h"
#include <semaphore.h>

enum { CONTROLS = 6 };

static pthread_once_t controls[CONTROLS];
static __thread int me, current;
static int runner[CONTROLS], begun[CONTROLS], values[MOST_THREADS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history tried;

static void first(void)
{
    OK(pthread_mutex_lock(&mutex));
    add(&tried, me);
    int mine = ++begun[current];
    OK(pthread_mutex_unlock(&mutex));
    idle();
    // Half of the team is cancelled one by one: who is of the other half comes to the end.
    if (me % 2 == 0 && mine <= 3)
        for (;;) {
            sleep_us(20);
            pthread_testcancel();
        }
    runner[current] = me + 1;
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
    pthread_t threads[MOST_THREADS];
    for (long i = 0; i < team_size; i++)
        OK(pthread_create(&threads[i], NULL, arrive, (void *)i));
    for (int i = 0; i < team_size; i += 2) {
        sleep_us(200);
        OK(pthread_cancel(threads[i]));
    }
    for (int i = 0; i < team_size; i++) {
        void *result;
        OK(pthread_join(threads[i], &result));
        printf("%s ", result == PTHREAD_CANCELED ? "cancelled" : "done");
    }
    printf("\n");
    show("tried", &tried);
    for (int i = 0; i < CONTROLS; i++)
        printf("%d by %d, ", begun[i], runner[i]);
    printf("\n");
    for (int i = 3; i < team_size; i += 2)
        if (values[i] != values[1])
            return 98;
}
