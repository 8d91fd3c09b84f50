// A program without threads or locks of its own, which lets a library (first argument) work.
#include "../support.h"
#include <dlfcn.h>

int main(int argument_count, char **arguments)
{
    void *library = argument_count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (!library) {
        dprintf(2, "no library: %s\n", dlerror());
        return 99;
    }
    unsigned (*work)(void) = (unsigned (*)(void))dlsym(library, "work");
    say("%08x of %d\n", work(), getpid());
    return 0;
}
