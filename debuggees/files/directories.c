// Phenomenon: reading a directory whose entries have random names, seeking in it, nested ones.
// Nondeterministic: names, their order, inodes.
#include "../support.h"
#include <dirent.h>

int main(void)
{
    const char *directory = temporary_directory();
    MUST(chdir(directory));
    for (int i = 0; i < 30; i++) {
        char name[32];
        snprintf(name, sizeof name, "%08x", random_below(1u << 31));
        if (i % 10 == 0)
            MUST(mkdir(name, 0700));
        else
            close(MUST(open(name, O_CREAT | O_WRONLY, 0600)));
    }
    DIR *stream = opendir(".");
    struct dirent *entry;
    long tenth = 0;
    for (int i = 0; (entry = readdir(stream)); i++) {
        printf("%s%s ", entry->d_name, entry->d_type == DT_DIR ? "/" : "");
        if (i == 10)
            tenth = telldir(stream);
    }
    seekdir(stream, tenth);
    entry = readdir(stream);
    printf("\nafter the tenth: %s, inode %lu\n", entry ? entry->d_name : "-", entry ? (unsigned long)entry->d_ino : 0);
    rewinddir(stream);
    while ((entry = readdir(stream)))
        if (entry->d_name[0] != '.')
            entry->d_type == DT_DIR ? rmdir(entry->d_name) : unlink(entry->d_name);
    closedir(stream);
    MUST(rmdir(directory));
}
