// Phenomenon: POSIX semaphores in shared memory between processes: a bounded buffer.
// Nondeterministic: which consumer gets which item.
#include "../support.h"
#include <semaphore.h>

struct buffer {
    sem_t filled, empty, mutex;
    int items[4], head, tail;
};

int main(void)
{
    struct buffer *buffer = shared_memory(sizeof *buffer);
    sem_init(&buffer->filled, 1, 0);
    sem_init(&buffer->empty, 1, 4);
    sem_init(&buffer->mutex, 1, 1);
    for (int i = 0; i < 2; i++) {
        if (MUST(fork()) == 0) {
            for (;;) {
                MUST(sem_wait(&buffer->filled));
                MUST(sem_wait(&buffer->mutex));
                int item = buffer->items[buffer->head++ % 4];
                sem_post(&buffer->mutex);
                sem_post(&buffer->empty);
                if (item < 0)
                    _exit(0);
                say("consumer %d took %d\n", i, item);
            }
        }
    }
    for (int n = 0; n < 32; n++) {
        MUST(sem_wait(&buffer->empty));
        MUST(sem_wait(&buffer->mutex));
        buffer->items[buffer->tail++ % 4] = n < 30 ? n * 100 + (int)random_below(100) : -1;
        sem_post(&buffer->mutex);
        sem_post(&buffer->filled);
    }
    wait_for_children();
}
