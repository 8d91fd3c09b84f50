// Phenomenon: a process-shared mutex and condition variable order two processes; a robust mutex whose owner dies.
// Nondeterministic: the order of turns, pids.
#include "../support.h"
#include <pthread.h>

struct shared {
    pthread_mutex_t mutex, robust;
    pthread_cond_t changed;
    int turns, ready;
    char order[64];
};

int main(void)
{
    struct shared *shared = shared_memory(sizeof *shared);
    pthread_mutexattr_t attributes;
    pthread_condattr_t condition;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&shared->robust, &attributes);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &condition);
    for (int i = 0; i < 3; i++) {
        if (MUST(fork()) == 0) {
            pthread_mutex_lock(&shared->mutex);
            shared->ready++;
            pthread_cond_broadcast(&shared->changed);
            while (shared->ready < 3)
                pthread_cond_wait(&shared->changed, &shared->mutex);
            pthread_mutex_unlock(&shared->mutex);
            for (int n = 0; n < 20; n++) {
                pthread_mutex_lock(&shared->mutex);
                shared->order[shared->turns++] = 'a' + i;
                pthread_mutex_unlock(&shared->mutex);
                if (n % 5 == 0)
                    sleep_us(20);
            }
            _exit(0);
        }
    }
    wait_for_children();
    if (MUST(fork()) == 0) {
        pthread_mutex_lock(&shared->robust);
        _exit(0); // Dies as the owner.
    }
    wait_for_children();
    int result = pthread_mutex_lock(&shared->robust);
    printf("%d: %s, owner died: %d\n", getpid(), shared->order, result == EOWNERDEAD);
}
