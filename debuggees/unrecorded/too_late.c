// Not replayable on purpose: it takes another way as soon as the time-stamp counter has reached the number given, as it
// has when a replay comes too late. The first argument says which way. Without arguments the program says what the
// counter is.
#include "counter.h"
#include <pthread.h>

static unsigned long long deadline;
static pthread_mutex_t usual = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static bool too_late(void)
{
    return unseen_counter() >= deadline;
}

// The child sends a message, or spins without a word.
static void send_or_spin(void)
{
    int ends[2];
    MUST(pipe(ends));
    if (MUST(fork()) == 0) {
        while (too_late())
            continue;
        write_all(ends[1], "sent", 4);
        _exit(0);
    }
    close(ends[1]);
    char text[64];
    size_t got = read_to_end(ends[0], text, sizeof text);
    say("received %zu in %d\n", got, getpid());
    wait_for_children();
}

static void *lock_once(void *nothing)
{
    pthread_mutex_t *mutex = too_late() ? &other : &usual;
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return nothing;
}

static void *lock_both(void *nothing)
{
    pthread_mutex_lock(&usual);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&usual);
    return nothing;
}

// A thread takes one mutex or another; both are known by then.
static void lock_in_threads(void)
{
    void *(*const work[])(void *) = {lock_both, lock_once, lock_both};
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work[i], NULL);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        say("%llu\n", (unsigned long long)unseen_counter());
        return 0;
    }
    deadline = strtoull(argv[2], NULL, 10);
    if (strcmp(argv[1], "message") == 0)
        send_or_spin();
    if (strcmp(argv[1], "mutex") == 0)
        lock_in_threads();
    if (strcmp(argv[1], "spin") == 0)
        while (too_late())
            continue;
    if (strcmp(argv[1], "fault") == 0 && too_late())
        *(volatile int *)8 = 1;
    say("in time: %d\n", getpid());
}
