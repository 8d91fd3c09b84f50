// Phenomenon: every source of random bytes that goes through the system.
// Nondeterministic: all of it.
#include "../support.h"

static void show(const char *name, const unsigned char *bytes)
{
    printf("%-14s", name);
    for (int i = 0; i < 8; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

int main(void)
{
    unsigned char bytes[4096];
    MUST(getrandom(bytes, 8, 0));
    show("getrandom", bytes);
    MUST(getrandom(bytes, sizeof bytes, GRND_NONBLOCK));
    printf("%-14s%08x\n", "4096 bytes", checksum(0, bytes, sizeof bytes));
    MUST(getentropy(bytes, 8));
    show("getentropy", bytes);
    int device = MUST(open("/dev/urandom", O_RDONLY));
    MUST(read(device, bytes, 8));
    show("/dev/urandom", bytes);
    FILE *stream = fopen("/dev/urandom", "r");
    if (fread(bytes, 8, 1, stream) != 1)
        return 1;
    show("stdio", bytes);
#if __GLIBC_PREREQ(2, 36)
    arc4random_buf(bytes, 8);
    show("arc4random", bytes);
#endif
    srandom(time(NULL) ^ getpid());
    printf("%-14s%ld\n", "seeded", random());
    FILE *uuid = fopen("/proc/sys/kernel/random/uuid", "r");
    char text[64];
    if (uuid && fgets(text, sizeof text, uuid))
        printf("%-14s%s", "uuid", text);
}
