// Phenomenon: advice that the kernel refuses because the pages are locked in memory, which a replay does not do.
// Nondeterministic: the bytes in the pages, which the refused advice leaves as they are.
#include "../support.h"

int main(void)
{
    enum { SIZE = 8192 };
    unsigned *numbers = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (numbers == MAP_FAILED)
        return 98;
    MUST(getrandom(numbers, sizeof *numbers, 0));
    MUST(mlock(numbers, SIZE));
    int advised = madvise(numbers, SIZE, MADV_DONTNEED);
    printf("%d %s %u\n", advised, advised ? strerror(errno) : "advised", *numbers);
    return advised == -1 ? 0 : 98;
}
