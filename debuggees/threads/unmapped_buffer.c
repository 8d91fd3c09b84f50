// Phenomenon: the memory that a read has filled is unmapped by another thread before the reader has its turn again.
// Nondeterministic: whether the kernel still found it, and the process id.
#include "../support.h"
#include <pthread.h>

enum { ROUNDS = 60, PAGE = 4096, LENGTH = 10 };

static int there[2], back[2];
static char *buffer;

static char *fresh_page(void) {
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        exit(99);
    return page;
}

static void *take_away(void *unused) {
    (void)unused;
    char answer;
    for (int round = 0; round < ROUNDS; round++) {
        char *page = buffer;
        int pause = (int)random_below(2000000);
        MUST(write(there[1], "0123456789", LENGTH));
        // No event: the reader, whose call may be over by now, has to wait.
        for (volatile int i = 0; i < pause; i++)
            ;
        MUST(munmap(page, PAGE));
        MUST(read(back[0], &answer, 1));
    }
    return NULL;
}

int main(void) {
    MUST(pipe(there));
    MUST(pipe(back));
    buffer = fresh_page();
    // Two threads write it: what its reader gets is kept, and not just how much.
    MUST(write(there[1], "", 1));
    MUST(read(there[0], buffer, 1));
    pthread_t other;
    if (pthread_create(&other, NULL, take_away, NULL) != 0)
        return 99;
    int whole = 0, refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char rest[LENGTH];
        if (read(there[0], buffer, LENGTH) == LENGTH) {
            whole++;
        } else {
            refused++;
            MUST(read(there[0], rest, LENGTH));
        }
        buffer = fresh_page();
        MUST(write(back[1], "", 1));
    }
    pthread_join(other, NULL);
    say("%d whole, %d refused, pid %d\n", whole, refused, getpid());
}
