// Maps a large file that nobody has changed for long: the trace names it and does not carry it.
#include "../support.h"

int main(int argc, char **argv)
{
    int file = MUST(open(argc > 1 ? argv[1] : "", O_RDONLY));
    struct stat status;
    MUST(fstat(file, &status));
    const unsigned char *bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    unsigned long sum = 0;
    for (long at = 0; at < status.st_size; at += 4096)
        sum += bytes[at];
    say("sum %lu in %d\n", sum, getpid());
}
