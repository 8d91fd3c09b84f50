// Phenomenon: what a read has brought is overwritten by another thread before the reader has its turn again, and
// changes of owner come with numbers of one, two and three bytes.
// Nondeterministic: whose bytes the reader finds, and the process id.
#include "../support.h"
#include <pthread.h>

enum { ROUNDS = 200, LENGTH = 64 };

static int there[2], back[2];
static volatile char buffer[LENGTH];

static void *overwrite(void *unused) {
    (void)unused;
    char full[LENGTH], answer;
    memset(full, 'k', sizeof full);
    for (int round = 0; round < ROUNDS; round++) {
        int length = 1 + round % LENGTH, pause = (int)random_below(1000000);
        bool also = random_below(2);
        MUST(write(there[1], full, (size_t)length));
        // No event: the reader, whose call may be over by now, has to wait.
        for (volatile int i = 0; i < pause; i++)
            ;
        if (also)
            for (int i = 0; i < length; i += 3)
                buffer[i] = 'w';
        MUST(read(back[0], &answer, 1));
    }
    return NULL;
}

int main(void) {
    MUST(pipe(there));
    MUST(pipe(back));
    // Two threads write it: what its reader gets is kept, and not just how much.
    MUST(write(there[1], "", 1));
    MUST(read(there[0], (void *)buffer, 1));
    pthread_t writer;
    if (pthread_create(&writer, NULL, overwrite, NULL) != 0)
        return 99;
    unsigned sum = 0, overwritten = 0;
    for (int round = 0; round < ROUNDS; round++) {
        long length = MUST(read(there[0], (void *)buffer, LENGTH));
        for (long i = 0; i < length; i++) {
            sum = sum * 31 + (unsigned char)buffer[i];
            overwritten += buffer[i] == 'w';
        }
        MUST(write(back[1], "", 1));
    }
    pthread_join(writer, NULL);
    say("sum %u, %u overwritten, pid %d\n", sum, overwritten, getpid());
}
