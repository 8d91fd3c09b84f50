// Phenomenon: copy_file_range, sendfile between files, fsync, fadvise, readahead, extended attributes.
// Nondeterministic: random contents, inodes.
#include "../support.h"
#include <sys/sendfile.h>
#include <sys/xattr.h>

int main(void)
{
    FILE *holders[3] = {tmpfile(), tmpfile(), tmpfile()};
    int from = fileno(holders[0]), copy = fileno(holders[1]), third = fileno(holders[2]);
    for (int i = 0; i < 500; i++)
        dprintf(from, "%u ", random_below(1000000));
    off_t size = MUST(lseek(from, 0, SEEK_CUR)), at = 0;
    while (at < size)
        MUST(copy_file_range(from, &at, copy, NULL, size - at, 0));
    at = 0;
    while (at < size)
        MUST(sendfile(third, copy, &at, size - at));
    MUST(fdatasync(third));
    posix_fadvise(third, 0, 0, POSIX_FADV_DONTNEED);
    static char bytes[3][8000];
    for (int i = 0; i < 3; i++)
        MUST(pread(fileno(holders[i]), bytes[i], sizeof bytes[i], 0));
    printf("%ld bytes: %08x %08x %08x\n", (long)size, checksum(0, bytes[0], size), checksum(0, bytes[1], size),
           checksum(0, bytes[2], size));
    char value[64] = "";
    int stored = fsetxattr(third, "user.wayfarer", bytes[0], 16, 0);
    long got = fgetxattr(third, "user.wayfarer", value, sizeof value - 1);
    printf("attribute %d %ld %s\n", stored, got, got > 0 ? value : "-");
}
