// Phenomenon: pthread_rwlock_tryrdlock and trywrlock, timedrdlock, timedwrlock and the clock forms.
// Nondeterministic: which attempts succeed, and what the readers see.
#include "team.h"

static pthread_rwlock_t lock;
static struct history history;
static uint32_t outcomes[MOST_THREADS];
static int refused[MOST_THREADS];

static int attempt(int kind)
{
    struct timespec real = moment(CLOCK_REALTIME, 60), steady = moment(CLOCK_MONOTONIC, 60);
    switch (kind) {
    case 0: return pthread_rwlock_trywrlock(&lock);
    case 1: return pthread_rwlock_tryrdlock(&lock);
    case 2: return pthread_rwlock_timedwrlock(&lock, &real);
    case 3: return pthread_rwlock_timedrdlock(&lock, &real);
    case 4: return pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &steady);
    default: return pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &steady);
    }
}

static void *work(void *number)
{
    long who = (long)number;
    for (int i = 0; i < rounds() / 4; i++) {
        int kind = (i + who) % 6, result = attempt(kind);
        outcomes[who] = checksum(outcomes[who], &result, sizeof result);
        if (result != 0) {
            refused[who]++;
            continue;
        }
        if (kind % 2 == 0)
            add(&history, who);
        else
            outcomes[who] = checksum(outcomes[who], &history.length, sizeof history.length);
        if (i % 16 == 0)
            sleep_us(30);
        OK(pthread_rwlock_unlock(&lock));
        idle();
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    OK(pthread_rwlock_init(&lock, NULL));
    run_team(work);
    show("writers", &history);
    for (int i = 0; i < team_size; i++)
        printf("%d:%08x ", refused[i], outcomes[i]);
    printf("\n");
}
