/* A frame whose return address and saved frame pointer have been overwritten. */
#include <string.h>

volatile int sink;
__attribute__((noinline)) void stop_here(int value) { sink = value; }

__attribute__((noinline)) static void smash(int value) {
    volatile char small[8];
    memset((char *)small, 0x41, 64);
    stop_here(value);
    sink = small[0];
}

int main(void) {
    smash(3);
    return 0;
}
