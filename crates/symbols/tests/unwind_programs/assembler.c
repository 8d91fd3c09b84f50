/* Calls into assembler code that has no call frame information. */
int without_information(int value);
volatile int sink;

__attribute__((noinline)) static int through(int value) {
    int before = value + 2;
    sink = without_information(before);
    return before + sink;
}

int main(void) {
    int result = through(40);
    sink = result;
    return 0;
}
