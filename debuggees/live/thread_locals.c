/* Thread-local variables of the program, and statics in functions and files. */
#include <pthread.h>

__thread int own_counter = 5;
static __thread const char *own_name = "nobody";
static long file_static = 1000;
int program_global = 77;

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int count(int step) {
    static int calls;
    calls++;
    own_counter += step;
    stop_here(own_counter);
    return own_counter + calls;
}

static void *work(void *argument) {
    own_name = argument;
    file_static++;
    int result = count(10);
    sink = result + own_name[0];
    return 0;
}

int main(void) {
    pthread_t thread;
    count(1);
    pthread_create(&thread, 0, work, "worker");
    pthread_join(thread, 0);
    program_global++;
    count(2);
    return 0;
}
