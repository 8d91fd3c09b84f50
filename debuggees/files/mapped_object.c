// Phenomenon: a file that looks like a program is made, mapped to be read, and removed; linkers do so with
// object files. A replay finds it nowhere.
// Nondeterministic: the bytes behind its first four, which are random.
#include "../support.h"

int main(void)
{
    char name[] = "/tmp/object.XXXXXX";
    int file = MUST(mkstemp(name));
    unsigned char bytes[64] = "\177ELF";
    MUST(getrandom(bytes + 4, sizeof bytes - 4, 0));
    MUST(write(file, bytes, sizeof bytes));
    close(file);
    file = MUST(open(name, O_RDONLY));
    unsigned char *seen = mmap(NULL, sizeof bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (seen == MAP_FAILED)
        return 98;
    close(file);
    MUST(unlink(name));
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof bytes; i++)
        sum = sum * 31 + seen[i];
    printf("%u\n", sum);
}
