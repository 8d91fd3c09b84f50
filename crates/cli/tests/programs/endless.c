#include <stdio.h>
#include <unistd.h>

int total;

int slow(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += i;
        usleep(1000);
    }
    total = sum;
    return sum;
}

int main(int argc, char **argv)
{
    FILE *file = fopen(argv[argc - 1], "w");
    fprintf(file, "%d", getpid());
    fclose(file);
    int r = 0;
    while (1)
        r += slow(2000);
    return r;
}
