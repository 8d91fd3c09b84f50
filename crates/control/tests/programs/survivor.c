// Threads that call functions until a file appears. With "forks" the first one makes a child again and again, which must
// do the same once and end well; with "blocks" they block all signals. Ends with 7 if nothing went wrong.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

volatile long total;
volatile long children;
static const char *end;

__attribute__((noinline)) void work(void) { __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED); }

__attribute__((noinline)) int check(int number) {
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += number + i;
    if (sum != 3 * number + 3) abort();
    return sum;
}

// For the debugger to call.
__attribute__((used)) void wait_long(void) { sleep(3600); }

static void *body(void *argument) {
    (void)argument;
    int number = 0;
    while (access(end, F_OK) != 0) {
        work();
        check(number++ & 0xffff);
        usleep(50);
    }
    return NULL;
}

static void forks(void) {
    while (access(end, F_OK) != 0) {
        pid_t child = fork();
        if (child == 0) {
            work();
            _exit(check(5) == 18 ? 3 : 4);
        }
        int status;
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3) abort();
        children++;
    }
}

int main(int argc, char **argv) {
    end = argv[1];
    if (argc > 2 && argv[2][0] == 'b') {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        argc = 2;
    }
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, body, NULL);
    if (argc > 2)
        forks();
    else
        body(NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 7;
}
