// Phenomenon: C11 threads: mtx of all kinds, cnd, call_once, thrd_join and thrd_detach, tss.
// Nondeterministic: the order at each of them, and which tries and timed calls succeed.
#include "team.h"
#include <threads.h>

static mtx_t plain, timed, recursive;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static struct history history, ended, late;
static int permits, runner, busy[MOST_THREADS];
static thread_local int me;

static void first(void)
{
    runner = me;
}

static void drop(void *value)
{
    mtx_lock(&plain);
    add(&ended, (int)(long)value);
    mtx_unlock(&plain);
}

static int work(void *number)
{
    me = (int)(long)number;
    call_once(&once, first);
    tss_set(key, (void *)(long)(me + 1));
    for (int i = 0; i < rounds() / 8; i++) {
        mtx_lock(&recursive);
        mtx_lock(&recursive);
        add(&history, me);
        mtx_unlock(&recursive);
        mtx_unlock(&recursive);
        if (mtx_trylock(&plain) == thrd_busy) {
            busy[me]++;
            mtx_lock(&plain);
        }
        if (me % 2) {
            permits++;
            cnd_signal(&changed);
        } else {
            struct timespec until = moment(CLOCK_REALTIME, 100);
            if (permits == 0 && cnd_timedwait(&changed, &plain, &until) == thrd_timedout)
                add(&late, me);
            permits -= permits > 0;
        }
        mtx_unlock(&plain);
        struct timespec until = moment(CLOCK_REALTIME, 50);
        if (mtx_timedlock(&timed, &until) == thrd_success) {
            idle();
            mtx_unlock(&timed);
        } else {
            busy[me] += 1000;
        }
        idle();
    }
    return me * 3;
}

static int leave(void *unused)
{
    (void)unused;
    thrd_exit(7);
}

int main(int count, char **words)
{
    read_team_size(count, words);
    mtx_init(&plain, mtx_plain);
    mtx_init(&timed, mtx_timed);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    cnd_init(&changed);
    tss_create(&key, drop);
    thrd_t threads[MOST_THREADS];
    int total = 0, result;
    for (long i = 0; i < team_size; i++)
        OK(thrd_create(&threads[i], work, (void *)i));
    for (int i = 0; i < team_size; i++) {
        OK(thrd_join(threads[i], &result));
        total += result;
    }
    OK(thrd_create(&threads[0], leave, NULL));
    OK(thrd_join(threads[0], &result));
    OK(thrd_create(&threads[0], leave, NULL));
    OK(thrd_detach(threads[0]));
    show("recursive", &history);
    show("ended", &ended);
    show("late", &late);
    for (int i = 0; i < team_size; i++)
        printf("%d ", busy[i]);
    printf("once by %d, total %d, left with %d\n", runner, total, result);
}
