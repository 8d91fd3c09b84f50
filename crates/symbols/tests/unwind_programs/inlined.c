/* Inlined functions three deep, and values that live only in registers or at the call. */
#include <stdio.h>

volatile int sink;
volatile long source = 11;

__attribute__((noinline)) void stop_here(long value) { sink = (int)value; }

static inline __attribute__((always_inline)) long innermost(long value, int times) {
    long doubled = value * 2;
    stop_here(doubled);
    return doubled * times;
}

static inline __attribute__((always_inline)) long middle(long value) {
    long more = value + 1;
    return innermost(more, 3) + more;
}

__attribute__((noinline)) static long outer(long value, long unused) {
    long kept = source;
    long result = middle(value);
    return result + kept + (unused & 0);
}

__attribute__((noinline)) static long overwritten(long first, long second) {
    long sum = first + second;
    long result = outer(sum, 5);
    return result;
}

int main(void) {
    long result = overwritten(source, 31);
    printf("%ld\n", result);
    return 0;
}
