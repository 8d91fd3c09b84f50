// Counts by what the clock says; a child counts on, from elsewhere.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int counter;

static int work(int by)
{
    counter += by;
    return counter * 2;
}

static void count(int round)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%d: %d\n", round, work(1 + (now.tv_nsec / 64 & 7)));
    fflush(stdout);
}

int main(void)
{
    for (int round = 0; round < 5; round++)
        count(round);
    pid_t child = fork();
    if (child == 0) {
        counter = 1000;
        printf("child %d\n", work(1));
        exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    printf("done %d\n", WEXITSTATUS(status));
    return 0;
}
