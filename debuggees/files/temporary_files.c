// Phenomenon: mkstemp, mkdtemp, tmpfile, O_TMPFILE: names that nobody knew before.
// Nondeterministic: the names.
#include "../support.h"

int main(void)
{
    const char *directory = temporary_directory();
    printf("%s\n", directory);
    for (int i = 0; i < 4; i++) {
        char path[300], text[32] = "";
        snprintf(path, sizeof path, "%s/file-XXXXXX", directory);
        int file = MUST(mkstemp(path));
        write_all(file, path + strlen(path) - 6, 6);
        MUST(lseek(file, 0, SEEK_SET));
        MUST(read(file, text, 6));
        printf("%s holds %s\n", path, text);
        close(file);
        unlink(path);
    }
    FILE *unnamed = tmpfile();
    fprintf(unnamed, "%d", getpid());
    printf("unnamed at %ld\n", ftell(unnamed));
    int hidden = open(directory, O_TMPFILE | O_RDWR, 0600);
    printf("O_TMPFILE: %s\n", hidden >= 0 ? "works" : strerror(errno));
    rmdir(directory);
}
