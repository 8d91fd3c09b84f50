// Phenomenon: a library that has just been made is loaded and removed, as programs do that compile what they run.
// Nondeterministic: the number that its function is given.
#include "../support.h"
#include <dlfcn.h>

int main(void)
{
    Dl_info libc;
    if (dladdr((void *)getpid, &libc) == 0)
        return 98;
    char original[4096];
    int directory = (int)(strrchr(libc.dli_fname, '/') - libc.dli_fname);
    snprintf(original, sizeof original, "%.*s/libm.so.6", directory, libc.dli_fname);
    int from = MUST(open(original, O_RDONLY));
    char name[] = "/tmp/library.XXXXXX";
    int to = MUST(mkstemp(name));
    char bytes[65536];
    for (ssize_t length; (length = MUST(read(from, bytes, sizeof bytes))) > 0;) {
        write_all(to, bytes, length);
    }
    close(to);
    void *library = dlopen(name, RTLD_NOW);
    MUST(unlink(name));
    if (library == NULL)
        return 98;
    double (*root)(double) = (double (*)(double))dlsym(library, "cbrt");
    unsigned number;
    MUST(getrandom(&number, sizeof number, 0));
    printf("%.15g\n", root(number));
}
