// Phenomenon: stat, fstat, lstat, statx, access, utimensat, statvfs, chmod, links.
// Nondeterministic: inodes, times in nanoseconds, free blocks.
#include "../support.h"
#include <sys/statvfs.h>

int main(void)
{
    const char *directory = temporary_directory();
    MUST(chdir(directory));
    int file = MUST(open("file", O_CREAT | O_RDWR, 0640));
    write_all(file, "contents", 1 + random_below(8));
    MUST(link("file", "second"));
    MUST(symlink("file", "symbolic"));
    struct stat status;
    MUST(fstat(file, &status));
    printf("size %ld inode %lu links %lu changed %ld.%09ld\n", (long)status.st_size, (unsigned long)status.st_ino,
           (unsigned long)status.st_nlink, (long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    MUST(lstat("symbolic", &status));
    printf("symbolic link: %d\n", S_ISLNK(status.st_mode));
    struct statx extended;
    MUST(statx(AT_FDCWD, "second", 0, STATX_ALL, &extended));
    printf("statx: born %lld.%09u mode %o\n", (long long)extended.stx_btime.tv_sec, extended.stx_btime.tv_nsec, extended.stx_mode);
    struct timespec times[2] = {{1000000000, 5}, {0, UTIME_NOW}};
    MUST(utimensat(AT_FDCWD, "file", times, 0));
    MUST(fchmod(file, 0400));
    MUST(stat("file", &status));
    printf("read at %ld.%09ld, mode %o, changed %09ld\n", (long)status.st_atim.tv_sec, status.st_atim.tv_nsec,
           status.st_mode, status.st_ctim.tv_nsec);
    struct statvfs system;
    MUST(statvfs(".", &system));
    printf("free blocks %lu, access %d %d\n", (unsigned long)system.f_bfree, access("file", R_OK), access("none", F_OK));
    char target[64] = "";
    MUST(readlink("symbolic", target, sizeof target - 1));
    MUST(rename("second", "third"));
    printf("links to %s, rename onto itself %d\n", target, rename("third", "third"));
    unlink("file"), unlink("third"), unlink("symbolic");
    MUST(rmdir(directory));
}
