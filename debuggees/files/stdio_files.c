// Phenomenon: buffered input and output on files: fprintf, fgets, fseek, ungetc, reopened streams.
// Nondeterministic: the random numbers that are written and read back.
#include "../support.h"

int main(void)
{
    const char *directory = temporary_directory();
    char path[300], line[100];
    snprintf(path, sizeof path, "%s/numbers", directory);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 2000; i++)
        fprintf(file, "%d %u\n", i, random_below(1000000));
    fclose(file);
    file = fopen(path, "r+");
    fseek(file, -40, SEEK_END);
    if (!fgets(line, sizeof line, file) || !fgets(line, sizeof line, file))
        return 1;
    printf("near the end (%ld): %s", ftell(file), line);
    rewind(file);
    int character = fgetc(file);
    ungetc(character, file);
    unsigned long sum = 0;
    unsigned index, value;
    while (fscanf(file, "%u %u", &index, &value) == 2)
        sum += value;
    fprintf(file, "sum %lu\n", sum);
    fflush(file);
    printf("sum %lu, position %ld\n", sum, ftell(file));
    file = freopen(path, "a+", file);
    fputs("appended\n", file);
    fclose(file);
    struct stat status;
    MUST(stat(path, &status));
    printf("%ld bytes in %s\n", (long)status.st_size, path);
    unlink(path);
    rmdir(directory);
}
