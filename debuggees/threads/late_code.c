// Phenomenon: code with system calls of its own that appears late, while other threads are in the midst of ordinary
// calls, are about to make some, or wait in one; then all of them run it.
// Nondeterministic: thread ids and random bytes, asked for by that code; the turns of the threads.
#include "../support.h"
#include <pthread.h>
#include <sys/syscall.h>

enum { BUSY = 3, WAITING = 2 };

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

static Call volatile call;
static int gate[2];

static void run_it(const char *what)
{
    unsigned bytes = 0;
    call(SYS_getrandom, (long)&bytes, sizeof bytes, 0);
    say("%s %ld: %u\n", what, call(SYS_gettid, 0, 0, 0), bytes);
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
