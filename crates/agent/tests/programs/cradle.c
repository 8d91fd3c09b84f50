// Makes threads or processes without end, each of which calls a function and ends well.
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile long total;

__attribute__((noinline)) void work(void) { __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED); }

static void *body(void *argument) {
    (void)argument;
    work();
    return NULL;
}

int main(int argc, char **argv) {
    int threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    for (;;) {
        if (threads) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, body, NULL) == 0) pthread_join(thread, NULL);
        } else if (fork() == 0) {
            work();
            _exit(0);
        } else {
            while (waitpid(-1, NULL, WNOHANG) > 0) {}
        }
    }
}
