/* A call into a shared library that calls back. Built with library_part.c as a library. */
int library_answer(int question, int (*call_back)(int));

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

static int call_back(int value) {
    int more = value + 1;
    stop_here(more);
    return more;
}

int main(void) {
    int question = 21;
    int answer = library_answer(question, call_back);
    stop_here(answer);
    return 0;
}
