// Phenomenon: code with system calls of its own that appears late, after so many ordinary calls that nothing but
// those seemed to be there; and then a thread that runs it, too.
// Nondeterministic: process and thread ids, random bytes, asked for by that code.
#include "../support.h"
#include <pthread.h>
#include <sys/syscall.h>

typedef long (*Call)(long number, long first, long second, long third);

// mov rax, rdi; mov rdi, rsi; mov rsi, rdx; mov rdx, rcx; syscall; ret. Built at run time, so that the file of
// this program has no such instruction.
static Call make_code(void)
{
    unsigned char code[] = {0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48, 0x89, 0xca, 0x0f, 0x06, 0xc3};
    code[13] -= 1;
    unsigned char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(memory, code, sizeof code);
    MUST(mprotect(memory, 4096, PROT_READ | PROT_EXEC));
    return (Call)(void *)memory;
}

static void busy(int rounds)
{
    int ends[2];
    MUST(pipe(ends));
    char byte = 0;
    for (int i = 0; i < rounds; i++) {
        MUST(write(ends[1], &byte, 1));
        MUST(read(ends[0], &byte, 1));
    }
    close(ends[0]);
    close(ends[1]);
}

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
