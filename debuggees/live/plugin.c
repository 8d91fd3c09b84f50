/* The same library, opened while the program runs. Its path is the first argument. */
#include <dlfcn.h>

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

static int call_back(int value) {
    int more = value + 1;
    stop_here(more);
    return more;
}

int main(int count, char **words) {
    if (count < 2)
        return 98;
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library)
        return 99;
    int (*answer)(int, int (*)(int)) = (int (*)(int, int (*)(int)))dlsym(library, "library_answer");
    int result = answer(4, call_back);
    stop_here(result);
    return 0;
}
