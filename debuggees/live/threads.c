/* Threads that wait, each with its own values; the first thread stops when the others do. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct job {
    int number;
    double weight;
};
static volatile int ids[3];
static sem_t arrived, never;
volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int wait_in(struct job *job, int deep) {
    int local = job->number * 100 + deep;
    if (deep > 0)
        return wait_in(job, deep - 1) + local;
    sem_post(&arrived);
    sem_wait(&never);
    return local;
}

static void *work(void *argument) {
    struct job *job = argument;
    ids[job->number - 1] = (int)syscall(SYS_gettid);
    int result = wait_in(job, job->number);
    sink = result;
    return 0;
}

/* After sem_post a thread can only sleep in the sem_wait that never ends. */
static int sleeps(int id) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
    int file = open(path, O_RDONLY);
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    char *name_end = strrchr(text, ')');
    return name_end && name_end[2] == 'S';
}

int main(void) {
    pthread_t threads[3];
    struct job jobs[3] = {{1, 0.5}, {2, 1.5}, {3, 2.5}};
    sem_init(&arrived, 0, 0);
    sem_init(&never, 0, 0);
    for (int index = 0; index < 3; index++)
        pthread_create(&threads[index], 0, work, &jobs[index]);
    for (int index = 0; index < 3; index++)
        sem_wait(&arrived);
    for (int index = 0; index < 3; index++)
        while (!sleeps(ids[index]))
            sched_yield();
    stop_here(jobs[2].number);
    return 0;
}
