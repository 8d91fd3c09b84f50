// Phenomenon: code with system calls of its own that appears late, while other threads are in the midst of ordinary
// calls, are about to make some, or wait in one; then all of them run it.
// Nondeterministic: thread ids and random bytes, asked for by that code; the turns of the threads.
#include "../late_code.h"
#include <pthread.h>
#include <sys/syscall.h>

enum { BUSY = 3, WAITING = 2 };

static Call volatile call;
static int gate[2];

static void run_it(const char *what)
{
    unsigned bytes = 0;
    call(SYS_getrandom, (long)&bytes, sizeof bytes, 0);
    say("%s %ld: %u\n", what, call(SYS_gettid, 0, 0, 0), bytes);
}

static void *be_busy(void *nothing)
{
    while (!call) {
        busy(200);
        sleep_us(5000);
    }
    run_it("busy");
    return nothing;
}

static void *wait_first(void *nothing)
{
    char byte;
    MUST(read(gate[0], &byte, 1));
    run_it("waiting");
    return nothing;
}

int main(void)
{
    MUST(pipe(gate));
    pthread_t threads[BUSY + WAITING];
    for (int i = 0; i < BUSY + WAITING; i++)
        pthread_create(&threads[i], NULL, i < BUSY ? be_busy : wait_first, NULL);
    // The answer of the recorder takes a moment.
    for (int i = 0; i < 100; i++) {
        busy(500);
        sleep_us(10000);
    }
    call = make_code();
    run_it("main");
    MUST(write(gate[1], "go", WAITING));
    for (int i = 0; i < BUSY + WAITING; i++)
        pthread_join(threads[i], NULL);
}
