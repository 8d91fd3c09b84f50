/* A call through a null pointer: the pc is at no code at all. */
volatile int sink;
typedef int (*callback)(int);
static callback volatile nothing;

__attribute__((noinline)) static int call_it(int value) {
    int result = nothing(value + 1);
    sink = result;
    return result + value;
}

int main(void) {
    int start = 20;
    int result = call_it(start);
    return result;
}
