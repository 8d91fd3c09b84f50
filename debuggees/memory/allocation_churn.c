// Phenomenon: memory is taken and given back in random sizes: brk, mmap, munmap, mremap, madvise.
// Nondeterministic: sizes and order, so the addresses that come out.
#include "../support.h"
#include <malloc.h>

int main(void)
{
    enum { SLOTS = 64 };
    unsigned char *slots[SLOTS] = {0};
    uintptr_t mixed = 0;
    srandom(random_below(1u << 30));
    for (int i = 0; i < 3000; i++) {
        int slot = random() % SLOTS;
        size_t size = 1 + random() % (i % 50 == 0 ? 2000000 : 5000);
        slots[slot] = realloc(slots[slot], size);
        slots[slot][size - 1] = 1;
        mixed = mixed * 31 + (uintptr_t)slots[slot];
        if (i % 500 == 0)
            malloc_trim(0);
    }
    void *area = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(area, 1, 1 << 20);
    MUST(madvise(area, 1 << 19, MADV_DONTNEED));
    MUST(munmap((char *)area + (1 << 19), 1 << 18));
    printf("addresses mix to %lx, after madvise %d\n", mixed, *(char *)area);
}
