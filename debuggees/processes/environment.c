// Phenomenon: what the program sees of its environment: none of the recorder's own variables.
// Nondeterministic: the pid. (The test also looks for our variables in the output.)
#include "../support.h"

extern char **environ;

int main(void)
{
    for (char **variable = environ; *variable; variable++)
        printf("%s\n", *variable);
    printf("LD_PRELOAD is %s\n", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "not set");
    printf("pid %d\n", getpid());
    fflush(stdout);
    return system("env; echo shell $$") != 0;
}
