// Threads that call a function until a file appears; then the process ends well.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

volatile long total;
static const char *end;

__attribute__((noinline)) void work(void) { __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED); }

static void *body(void *argument) {
    (void)argument;
    while (access(end, F_OK) != 0) work();
    return NULL;
}

int main(int argc, char **argv) {
    (void)argc;
    end = argv[1];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, body, NULL);
    body(NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 7;
}
