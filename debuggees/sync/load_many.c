// Phenomenon: many threads load and unload libraries, look for functions in them, and make threads meanwhile.
// Nondeterministic: who is first, and where the libraries come to lie.
#define _GNU_SOURCE
#include "team.h"
#include <dlfcn.h>
#include <link.h>

static const char *const LIBRARIES[] = {"libm.so.6", "libresolv.so.2", "libutil.so.1", "libanl.so.1"};
enum { COUNT = sizeof LIBRARIES / sizeof *LIBRARIES };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history done;

static int look(struct dl_phdr_info *library, size_t size, void *count)
{
    (void)library, (void)size;
    free(malloc(20));
    ++*(int *)count;
    return 0;
}

static void *allocate(void *unused)
{
    return unused == NULL ? malloc(30) : NULL;
}

static void use_libraries(long number)
{
    void *library = dlopen(LIBRARIES[number % COUNT], number % 2 ? RTLD_NOW : RTLD_LAZY);
    if (library == NULL)
        _exit(97);
    if (dlsym(library, "no such function") != NULL || dlsym(RTLD_NEXT, "malloc") == NULL)
        _exit(97);
    int count = 0;
    Dl_info found;
    if (dl_iterate_phdr(look, &count) != 0 || count < 2 || dladdr((void *)allocate, &found) == 0)
        _exit(97);
    MUST(dlclose(library));
}

static void *run(void *number)
{
    long who = (long)number;
    for (long i = 0; i < 4 + rounds() / 20; i++) {
        use_libraries(who + i);
        if ((who + i) % 4 == 0) {
            pthread_t thread;
            void *memory;
            OK(pthread_create(&thread, NULL, allocate, NULL));
            OK(pthread_join(thread, &memory));
            free(memory);
        }
        OK(pthread_mutex_lock(&mutex));
        add(&done, (int)who);
        OK(pthread_mutex_unlock(&mutex));
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(run);
    show("done", &done);
}
