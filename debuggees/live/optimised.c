/* Values that the optimiser removes, keeps in registers, or leaves to the caller's memory. */
volatile int sink;
volatile long source = 40;
__attribute__((noinline)) void stop_here(long number) { sink = (int)number; }

__attribute__((noinline)) static long leaf(long first, long second, long third) {
    long unused = first * 1000;
    long sum = second + third;
    (void)unused;
    stop_here(sum);
    return sum * 3;
}

__attribute__((noinline)) static long keep(long count) {
    long saved = source;
    long constant = 12345;
    long result = leaf(count, saved, constant);
    return result + saved * count;
}

int main(void) {
    long start = source + 2;
    long result = keep(start);
    stop_here(result);
    return 0;
}
