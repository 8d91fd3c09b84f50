// Phenomenon: detached threads that nobody joins; the program waits for their last word.
// Nondeterministic: the order of their words, thread ids.
#include "../support.h"
#include <pthread.h>

static int ends[2];

static void *speak(void *argument)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%ld is %d\n", (long)argument, gettid());
    write_all(ends[1], line, length);
    return NULL;
}

int main(void)
{
    MUST(pipe(ends));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < 10; i++) {
        pthread_t thread;
        pthread_create(&thread, &attributes, speak, (void *)i);
    }
    for (int lines = 0; lines < 10;) {
        char text[256];
        long got = MUST(read(ends[0], text, sizeof text));
        for (long i = 0; i < got; i++)
            lines += text[i] == '\n';
        fwrite(text, 1, got, stdout);
    }
}
