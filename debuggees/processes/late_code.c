// Phenomenon: code with system calls of its own that appears late, after so many ordinary calls that nothing but
// those seemed to be there; and then a thread that runs it, too.
// Nondeterministic: process and thread ids, random bytes, asked for by that code.
#include "../late_code.h"
#include <pthread.h>
#include <sys/syscall.h>

static Call call;

static void *in_a_thread(void *nothing)
{
    unsigned bytes = 0;
    call(SYS_getrandom, (long)&bytes, sizeof bytes, 0);
    say("thread %ld: %u\n", call(SYS_gettid, 0, 0, 0), bytes);
    return nothing;
}

int main(void)
{
    // The answer of the recorder takes a moment: so much is to be done, and some time must pass.
    for (int i = 0; i < 100; i++) {
        busy(2000);
        sleep_us(10000);
    }
    if (MUST(fork()) == 0) {
        busy(1000);
        say("child %d\n", getpid());
        _exit(0);
    }
    wait_for_children();
    call = make_code();
    unsigned bytes = 0;
    call(SYS_getrandom, (long)&bytes, sizeof bytes, 0);
    say("process %ld: %u\n", call(SYS_getpid, 0, 0, 0), bytes);
    pthread_t thread;
    pthread_create(&thread, NULL, in_a_thread, NULL);
    pthread_join(thread, NULL);
}
