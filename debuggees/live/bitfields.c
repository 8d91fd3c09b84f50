/* Bit-fields, signed and unsigned, across the boundaries of words. */
struct flags {
    unsigned ready : 1;
    unsigned level : 3;
    int delta : 5;
    unsigned long long wide : 40;
    unsigned last : 7;
};

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int use(struct flags *flags, struct flags copy) {
    flags->level++;
    stop_here(copy.delta);
    return flags->level + copy.last;
}

int main(void) {
    struct flags flags = {1, 5, -9, 0xabcdef0123ULL, 100};
    struct flags other = flags;
    other.delta = 15;
    int result = use(&flags, other);
    stop_here(result);
    return 0;
}
