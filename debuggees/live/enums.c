/* Enumerations, as names, as sets of flags, and with values that have no name. */
enum colour { RED, GREEN = 5, BLUE };
enum access { READ = 1, WRITE = 2, EXECUTE = 4 };
typedef enum { SMALL = -1, LARGE = 1 } size_kind;

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int paint(enum colour colour, enum access access, size_kind kind) {
    enum colour unnamed = (enum colour)77;
    stop_here((int)colour + (int)unnamed);
    return (int)access + (int)kind;
}

int main(void) {
    enum access all = (enum access)(READ | EXECUTE);
    int result = paint(BLUE, all, SMALL);
    stop_here(result);
    return 0;
}
