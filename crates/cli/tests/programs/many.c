/* many FILE PROCESSES THREADS: every thread of every process counts in its slot of the file, until all are killed. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static uint32_t *slots;

static void beat(uint32_t slot)
{
    __atomic_fetch_add(&slots[slot], 1, __ATOMIC_RELAXED);
}

static void *live(void *argument)
{
    uint32_t slot = (uint32_t)(uintptr_t)argument;
    for (;;) {
        beat(slot);
        usleep(20000);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    uint32_t processes = (uint32_t)atoi(argv[2]), threads = (uint32_t)atoi(argv[3]);
    size_t size = (size_t)processes * threads * sizeof *slots;
    int file = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, (off_t)size) != 0)
        return 1;
    slots = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (slots == MAP_FAILED)
        return 1;
    pid_t parent = getpid();
    uint32_t process = 0;
    for (uint32_t child = 1; child < processes; child++) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent)
                return 1;
            process = child;
            break;
        }
    }
    for (uint32_t thread = 1; thread < threads; thread++) {
        pthread_t id;
        uintptr_t slot = process * threads + thread;
        if (pthread_create(&id, NULL, live, (void *)slot) != 0)
            return 1;
    }
    live((void *)(uintptr_t)(process * threads));
    return 0;
}
