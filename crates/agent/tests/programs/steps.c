// Something to step through, watch and call.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

volatile long watched;
char text[32];

__attribute__((noinline)) long add(long a, long b) { return a + b; }
__attribute__((noinline)) double half(double x) { return x / 2; }
__attribute__((noinline)) void crash(void) { *(volatile int *)8 = 1; }
__attribute__((noinline)) long length(const char *s) { return (long)strlen(s); }

__attribute__((noinline)) void body(void) {
    long n = add(1, 2);
    n = add(n, 3);
    watched = n;
    watched = n;
    watched = n + 1;
}

int main(void) {
    body();
    void *library = dlopen("libm.so.6", RTLD_NOW);
    if (library == NULL) return 2;
    return watched == 7 ? 7 : 1;
}
