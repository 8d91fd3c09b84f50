// Phenomenon: a process that becomes itself again by exec, keeping pid, descriptors and directory.
// Nondeterministic: pid, clock values, a random number passed through the environment.
#include "../support.h"

int main(int argc, char **argv)
{
    int step = argc > 1 ? atoi(argv[1]) : 0;
    const char *before = getenv("CHAIN");
    printf("step %d pid %d chain %s\n", step, getpid(), before ? before : "-");
    fflush(stdout);
    if (step == 0) {
        // Survives all execs: an unnamed file at descriptor 7.
        FILE *file = tmpfile();
        MUST(dup2(fileno(file), 7));
    }
    dprintf(7, "step %d at %lld\n", step, now_ns());
    if (step < 4) {
        char number[16], chain[200];
        snprintf(number, sizeof number, "%d", step + 1);
        snprintf(chain, sizeof chain, "%.150s%u,", before ? before : "", random_below(10000));
        setenv("CHAIN", chain, 1);
        MUST(execl("/proc/self/exe", argv[0], number, NULL));
    }
    char text[1024];
    long got = MUST(pread(7, text, sizeof text, 0));
    printf("%.*s", (int)got, text);
    return random_below(50);
}
