/* A handler on top of the code that a signal interrupted. */
#include <signal.h>
#include <unistd.h>

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

static void handle(int number) {
    int twice = number * 2;
    stop_here(twice);
    sink = twice;
}

__attribute__((noinline)) static int provoke(int number, int rounds) {
    int before = rounds + 1;
    kill(getpid(), number);
    return before + sink;
}

int main(void) {
    signal(SIGUSR1, handle);
    int result = provoke(SIGUSR1, 3);
    stop_here(result);
    return 0;
}
