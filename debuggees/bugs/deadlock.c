// Bug: deadlock. Two transfers take the same two locks in opposite orders. Pattern: Coffman et al., 1971.
// The watchdog ends it with status 42.
#include "bug.h"

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int transfers;

static void transfer(pthread_mutex_t *from, pthread_mutex_t *to)
{
    pthread_mutex_lock(from);
    dawdle(10);
    pthread_mutex_lock(to);
    transfers++;
    pthread_mutex_unlock(to);
    pthread_mutex_unlock(from);
    dawdle(60);
}

static void *there(void *argument)
{
    for (int i = 0; i < 20; i++)
        transfer(&left, &right);
    return argument;
}

static void *back(void *argument)
{
    for (int i = 0; i < 20; i++)
        transfer(&right, &left);
    return argument;
}

int main(void)
{
    watch_out();
    run_two(there, back, NULL);
    printf("%d transfers\n", transfers);
}
