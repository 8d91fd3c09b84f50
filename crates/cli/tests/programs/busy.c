// Threads that call a function all the time, until standard input ends.
#include <pthread.h>
#include <unistd.h>

volatile long rounds;
static volatile int over;

__attribute__((noinline)) int turn(int number) {
    rounds = rounds + 1;
    return number + 1;
}

static void *body(void *argument) {
    (void)argument;
    for (int number = 0; !over; number = turn(number)) usleep(50);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, body, NULL);
    write(1, "up\n", 3);
    char byte;
    while (read(0, &byte, 1) > 0) {
    }
    over = 1;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 7;
}
