/* Every scalar type of C as argument and local. */
#include <stdbool.h>
#include <stdint.h>

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int scalars(char letter, signed char small, unsigned char byte, short number,
                                             unsigned short port, long wide, unsigned long long widest, bool flag) {
    float single = 1.5f;
    double twice = -2.25;
    int64_t exact = INT64_MIN;
    uint32_t mask = 0xdeadbeef;
    int sum = letter + small + byte + number + port + (int)wide + (int)widest + flag;
    stop_here(sum);
    sink += (int)(single + twice) + (int)exact + (int)mask;
    return sum;
}

int main(void) {
    int result = scalars('x', -7, 200, -30000, 65535, -1234567890123L, 18446744073709551615ULL, true);
    stop_here(result);
    return 0;
}
