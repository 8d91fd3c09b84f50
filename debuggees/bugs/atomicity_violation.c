// Bug: atomicity violation. The balance is checked in one critical section and changed in another; both
// take the lock, so there is no data race. Pattern: Lu et al., "Learning from Mistakes", ASPLOS 2008.
// Fails with status 1 when two threads draw the last money.
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *draw(void *argument)
{
    for (int i = 0; i < 10; i++) {
        dawdle(20);
        pthread_mutex_lock(&mutex);
        bool enough = balance >= 10;
        pthread_mutex_unlock(&mutex);
        if (!enough)
            break;
        dawdle(20);
        pthread_mutex_lock(&mutex);
        balance -= 10;
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

int main(void)
{
    run_two(draw, draw, NULL);
    printf("balance %d\n", balance);
    return balance < 0 ? WRONG : 0;
}
