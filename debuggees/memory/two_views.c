// Phenomenon: a file is mapped twice, to write and to read or run; what is stored through one view or written
// by a call shows in the other. Code that programs make at run time often lives like this.
// Nondeterministic: the bytes, which come from the clock.
#include "../support.h"

int main(void)
{
    enum { SIZE = 8192 };
    int file = MUST(memfd_create("views", 0));
    MUST(ftruncate(file, SIZE));
    unsigned char *runs = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    unsigned char *writes = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (runs == MAP_FAILED || writes == MAP_FAILED)
        return 98;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3}; // mov eax, NUMBER; ret
    int number = now.tv_nsec;
    memcpy(code + 1, &number, sizeof number);
    memcpy(writes, code, sizeof code);
    int (*function)(void) = (int (*)(void))(void *)runs;
    int first = function();
    clock_gettime(CLOCK_REALTIME, &now);
    number = now.tv_nsec;
    MUST(pwrite(file, &number, sizeof number, 1));
    int second = function();
    int seen;
    memcpy(&seen, writes + 1, sizeof seen);
    printf("%d %d %d\n", first, second, seen);
    return second == number && seen == number ? 0 : 98;
}
