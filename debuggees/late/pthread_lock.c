// A library that locks as it should. It makes system calls by number, too, but not to wait for other threads.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned number;
static long caller;

unsigned next_number(void)
{
    pthread_mutex_lock(&lock);
    if (number % 1000 == 0)
        caller = syscall(SYS_gettid);
    unsigned next = ++number + (caller == 0);
    pthread_mutex_unlock(&lock);
    return next;
}
