// Phenomenon: a file mapped shared and writable, msync, read back by read(2), grown by mremap.
// Nondeterministic: random contents and positions.
#include "../support.h"

int main(void)
{
    FILE *holder = tmpfile();
    int file = fileno(holder);
    MUST(ftruncate(file, 8192));
    unsigned char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (int i = 0; i < 100; i++)
        memory[random_below(8192)] = random_below(256);
    MUST(msync(memory, 8192, MS_SYNC));
    unsigned char bytes[16384];
    MUST(pread(file, bytes, 8192, 0));
    printf("file %08x, memory %08x\n", checksum(0, bytes, 8192), checksum(0, memory, 8192));
    MUST(ftruncate(file, 16384));
    memory = mremap(memory, 8192, 16384, MREMAP_MAYMOVE);
    MUST(pwrite(file, "written by call", 15, 12000));
    memory[15000] = random_below(256);
    printf("seen in memory: %.15s, sum %08x\n", memory + 12000, checksum(0, memory, 16384));
}
