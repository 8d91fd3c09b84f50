// Phenomenon: what a process reads about itself below /proc.
// Nondeterministic: pids, times, memory sizes.
#include "../support.h"

static void show(const char *path, int lines)
{
    FILE *file = fopen(path, "r");
    char line[512];
    for (int i = 0; file && i < lines && fgets(line, sizeof line, file); i++)
        printf("%s", line);
    if (file)
        fclose(file);
}

int main(void)
{
    char path[64], target[256] = "";
    show("/proc/self/stat", 1);
    show("/proc/self/statm", 1);
    snprintf(path, sizeof path, "/proc/%d/status", getpid());
    show(path, 8);
    show("/proc/uptime", 1);
    show("/proc/loadavg", 1);
    show("/proc/meminfo", 3);
    MUST(readlink("/proc/self/fd/0", target, sizeof target - 1));
    printf("stdin is %s\n", target);
    MUST(readlink("/proc/self/exe", target, sizeof target - 1));
    printf("program is %s\n", strrchr(target, '/') + 1);
}
