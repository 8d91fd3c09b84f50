/* Threads that wait inside the C library, each with locals and thread-local storage of its own. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int arrived;
static int wanted = 3;
__thread int own_number = -1;
__thread long own_weight = 7;

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static void wait_for_ever(int number) {
    pthread_mutex_lock(&lock);
    arrived++;
    pthread_cond_broadcast(&changed);
    for (;;)
        pthread_cond_wait(&changed, &lock);
    sink = number;
}

static void *work(void *argument) {
    int number = *(int *)argument;
    own_number = number;
    own_weight += number;
    wait_for_ever(number * 10);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    int numbers[3] = {1, 2, 3};
    for (int index = 0; index < 3; index++)
        pthread_create(&threads[index], 0, work, &numbers[index]);
    pthread_mutex_lock(&lock);
    while (arrived < wanted)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    stop_here(arrived);
    return 0;
}
