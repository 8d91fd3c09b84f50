// Threads that call functions until a file appears; ends with 7 if nothing went wrong. The second argument says more:
// forks   the first thread makes a child again and again, which must do the same once and end well
// execs   the same with a program of its own
// blocks  all signals are blocked
// traps   there are breakpoint instructions of the program's own, and a handler for them
// limits  system calls go through a filter
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

volatile long total;
volatile long children;
volatile long trapped;
static int traps;
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

static void on_trap(int signal) {
    if (signal != SIGTRAP) abort();
    __atomic_fetch_add(&trapped, 1, __ATOMIC_RELAXED);
}

static void limit(void) {
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {1, &allow};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) abort();
}

static void *body(void *argument) {
    (void)argument;
    int number = 0;
    while (access(end, F_OK) != 0) {
        work();
        check(number++ & 0xffff);
        if (traps) __asm__ volatile("int3");
        usleep(50);
    }
    return NULL;
}

static void forks(char *program) {
    while (access(end, F_OK) != 0) {
        pid_t child = program ? vfork() : fork();
        if (child == 0 && program) {
            execl(program, program, end, "once", NULL);
            _exit(5);
        }
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
    const char *mode = argc > 2 ? argv[2] : "";
    if (!strcmp(mode, "blocks")) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
    }
    if (!strcmp(mode, "once")) {
        work();
        return 3;
    }
    if (!strcmp(mode, "limits")) limit();
    if (!strcmp(mode, "traps")) {
        traps = 1;
        signal(SIGTRAP, on_trap);
    }
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, body, NULL);
    if (!strcmp(mode, "forks"))
        forks(NULL);
    else if (!strcmp(mode, "execs"))
        forks(argv[0]);
    else
        body(NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 7;
}
