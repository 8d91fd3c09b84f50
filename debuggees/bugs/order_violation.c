// Bug: order violation. A new thread uses what its creator writes only after the creation. Pattern: the
// state pointer in Mozilla's thread start, Lu et al., ASPLOS 2008.
// Ends by SIGSEGV when the new thread is faster.
#include "bug.h"

struct state {
    int number;
};

static struct state *volatile state;

static void *start(void *argument)
{
    dawdle(100);
    printf("number %d\n", state->number);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    dawdle(100);
    struct state *made = malloc(sizeof *made);
    made->number = getpid();
    state = made;
    pthread_join(thread, NULL);
}
