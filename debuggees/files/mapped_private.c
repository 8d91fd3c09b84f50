// Phenomenon: a file mapped read-only and privately, changed in memory only.
// Nondeterministic: the random contents of the file.
#include "../support.h"

enum { SIZE = 20000 };

int main(void)
{
    const char *directory = temporary_directory();
    char path[300];
    snprintf(path, sizeof path, "%s/data", directory);
    int file = MUST(open(path, O_CREAT | O_RDWR, 0600));
    static unsigned char bytes[SIZE];
    for (int i = 0; i < SIZE; i += 200)
        MUST(getrandom(bytes + i, 200, 0));
    write_all(file, bytes, SIZE);
    const unsigned char *shown = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, file, 0);
    unsigned char *mine = mmap(NULL, SIZE - 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 4096);
    const unsigned char *shared = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    unlink(path);
    printf("%08x %08x %08x\n", checksum(0, shown, SIZE), checksum(0, mine, SIZE - 4096), checksum(0, shared, SIZE));
    for (int i = 0; i < SIZE - 4096; i++)
        mine[i] ^= 1;
    printf("changed %08x, file still %08x\n", checksum(0, mine, SIZE - 4096), checksum(0, shared, SIZE));
    rmdir(directory);
}
