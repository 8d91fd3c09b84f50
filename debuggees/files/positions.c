// Phenomenon: pread, pwrite, lseek with holes, ftruncate, fallocate, readv and writev on a file.
// Nondeterministic: random positions and contents.
#include "../support.h"

int main(void)
{
    FILE *holder = tmpfile();
    int file = fileno(holder);
    for (int i = 0; i < 30; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "<%u>", random_below(100000));
        MUST(pwrite(file, text, length, random_below(1000000)));
    }
    off_t end = MUST(lseek(file, 0, SEEK_END));
    printf("end %ld, first data %ld, first hole %ld\n", (long)end, (long)lseek(file, 0, SEEK_DATA), (long)lseek(file, 0, SEEK_HOLE));
    MUST(ftruncate(file, end / 2));
    MUST(lseek(file, 100, SEEK_SET));
    char a[10] = "aaaaaaaaa", b[20] = "bbbbbbbbb";
    struct iovec pieces[2] = {{a, 10}, {b, 20}};
    MUST(writev(file, pieces, 2));
    MUST(lseek(file, -30, SEEK_CUR));
    MUST(readv(file, pieces, 2));
    printf("position %ld\n", (long)lseek(file, 0, SEEK_CUR));
    uint32_t sum = 0;
    char block[4096];
    long got, at = 0;
    while ((got = MUST(pread(file, block, sizeof block, at))) > 0) {
        sum = checksum(sum, block, got);
        at += got;
    }
    struct stat status;
    MUST(fstat(file, &status));
    printf("%ld bytes, checksum %08x, inode %lu\n", at, sum, (unsigned long)status.st_ino);
}
