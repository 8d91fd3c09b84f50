// A library whose thread prints until the library is taken down at the end of the program, which waits for it.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static int over;

static void *print(void *unused)
{
    for (int i = 0;; i++) {
        pthread_mutex_lock(&lock);
        int ends = over;
        pthread_mutex_unlock(&lock);
        if (ends)
            return unused;
        printf("%d\n", i);
    }
}

unsigned work(void) { return (unsigned)pthread_create(&thread, NULL, print, NULL); }

__attribute__((destructor)) static void end(void)
{
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    puts("joined");
}
