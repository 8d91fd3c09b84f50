// Phenomenon: handlers of signals that come while a thread yields, tries locks, waits for a once or joins.
// Nondeterministic: where in its work each thread is interrupted, which it looks at after every step.
#include "team.h"

enum { STEPS = 300, CONTROLS = 8 };

static __thread volatile sig_atomic_t interrupts;
static pthread_once_t controls[CONTROLS];
static pthread_mutex_t finishing = PTHREAD_MUTEX_INITIALIZER;
static int finished;
static struct history ended;
static unsigned seen[MOST_THREADS];

static void interrupted(int signal)
{
    interrupts += signal == SIGUSR1;
}

static void slow(void)
{
    sleep_us(100);
}

static void *nothing(void *argument)
{
    return argument;
}

static void *work(void *number)
{
    int me = (int)(long)number;
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (int step = 0; step < STEPS; step++) {
        switch (step % 4) {
        case 0:
            sched_yield();
            break;
        case 1:
            OK(pthread_mutex_trylock(&own));
            OK(pthread_mutex_unlock(&own));
            break;
        case 2:
            OK(pthread_once(&controls[step * CONTROLS / STEPS], slow));
            break;
        default:
            idle();
        }
        if (step == STEPS / 2) {
            pthread_t helper;
            OK(pthread_create(&helper, NULL, nothing, NULL));
            seen[me] = seen[me] * 31 + interrupts;
            OK(pthread_join(helper, NULL));
        }
        seen[me] = seen[me] * 31 + interrupts;
    }
    OK(pthread_mutex_lock(&finishing));
    add(&ended, me);
    finished++;
    OK(pthread_mutex_unlock(&finishing));
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    for (int i = 0; i < CONTROLS; i++)
        controls[i] = PTHREAD_ONCE_INIT;
    struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESTART};
    MUST(sigaction(SIGUSR1, &action, NULL));
    pthread_t threads[MOST_THREADS];
    for (long i = 0; i < team_size; i++)
        OK(pthread_create(&threads[i], NULL, work, (void *)i));
    for (int all = 0, next = 0; !all; next++) {
        int result = pthread_kill(threads[next % team_size], SIGUSR1);
        if (result != 0 && result != ESRCH)
            return 98;
        idle();
        OK(pthread_mutex_lock(&finishing));
        all = finished == team_size;
        OK(pthread_mutex_unlock(&finishing));
    }
    for (int i = 0; i < team_size; i++) {
        OK(pthread_join(threads[i], NULL));
        printf("%x ", seen[i]);
    }
    printf("\n");
    show("ended", &ended);
}
