// Bug: time of check to time of use. Two threads look whether a file is there and then create it; the kernel
// would have told them, had they asked with O_EXCL. Pattern: Bishop and Dilger, 1996.
// Fails with status 1 when both believe that they made it.
#include "bug.h"

static char path[300];
static int made[2];

static void *create(void *argument)
{
    long me = (long)argument;
    dawdle(40);
    if (access(path, F_OK) != 0) {
        dawdle(20);
        int file = MUST(open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600));
        dprintf(file, "thread %ld\n", me);
        close(file);
        made[me] = 1;
    }
    return NULL;
}

int main(void)
{
    const char *directory = temporary_directory();
    snprintf(path, sizeof path, "%s/lock", directory);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, create, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    char text[64];
    int file = MUST(open(path, O_RDONLY));
    read_to_end(file, text, sizeof text);
    printf("made by %d + %d, holds %s", made[0], made[1], text);
    unlink(path);
    rmdir(directory);
    return made[0] && made[1] ? WRONG : 0;
}
