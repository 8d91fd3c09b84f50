/* Nested blocks that shadow each other's variables. */
volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int nested(int value) {
    int result = value;
    for (int index = 0; index < 2; index++) {
        int value = index * 10;
        {
            int value = 99;
            result += value;
            stop_here(result);
        }
        result += value;
    }
    return result;
}

int main(void) {
    int result = nested(1);
    stop_here(result);
    return 0;
}
