#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int which;

static void meet(int number)
{
    which = number;
    printf("met %d\n", number);
    fflush(stdout);
}

int main(void)
{
    for (int child = 1; child <= 2; child++) {
        if (fork() == 0) {
            meet(child);
            _exit(child);
        }
    }
    meet(0);
    for (int child = 1; child <= 2; child++)
        wait(NULL);
    return 0;
}
