// Four threads, each calls a function a thousand times.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

volatile int total;

__attribute__((noinline)) int work(int n) {
    __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
    return n * 2;
}

static void *body(void *argument) {
    int calls = *(int *)argument;
    for (int i = 0; i < calls; i++) work(i);
    return NULL;
}

int main(int argc, char **argv) {
    int calls = argc > 1 ? atoi(argv[1]) : 1000;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, body, &calls);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return total == calls * 4 ? 7 : 1;
}
