// Phenomenon: a large file that the program made itself, with a time of change set far back (as copies that keep
// times do it), is mapped and then removed.
// Nondeterministic: the bytes in the file.
#include "../support.h"

int main(void)
{
    enum { SIZE = 2 << 20 };
    char name[] = "/tmp/wayfarer-backdated-XXXXXX";
    int file = MUST(mkstemp(name));
    unsigned *numbers = malloc(SIZE);
    MUST(getrandom(numbers, SIZE, 0));
    write_all(file, numbers, SIZE);
    struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    MUST(futimens(file, long_ago));
    unsigned *mapped = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, file, 0);
    MUST(unlink(name));
    if (mapped == MAP_FAILED)
        return 98;
    unsigned sum = 0;
    for (unsigned i = 0; i < SIZE / sizeof *mapped; i++) {
        sum = sum * 31 + mapped[i];
    }
    printf("%u %u\n", mapped[0], sum);
    return memcmp(mapped, numbers, SIZE) ? 98 : 0;
}
