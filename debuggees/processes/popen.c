// Phenomenon: popen in both directions.
// Nondeterministic: pids and nanoseconds that the shell prints.
#include "../support.h"

int main(void)
{
    FILE *from = popen("echo $$; date +%N; for i in 1 2 3; do echo line $i; done", "r");
    char line[128];
    while (fgets(line, sizeof line, from))
        printf("read: %s", line);
    printf("status %d\n", pclose(from));
    fflush(stdout);
    FILE *to = popen("sort -rn; exit 5", "w");
    for (int i = 0; i < 5; i++)
        fprintf(to, "%u\n", random_below(1000));
    printf("status %d\n", WEXITSTATUS(pclose(to)));
}
