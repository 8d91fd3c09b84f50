// Phenomenon: inotify tells what another process does to a directory.
// Nondeterministic: batching of the events, cookies, random names.
#include "../support.h"
#include <sys/inotify.h>

int main(void)
{
    const char *directory = temporary_directory();
    int watcher = MUST(inotify_init1(IN_CLOEXEC));
    MUST(inotify_add_watch(watcher, directory, IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE));
    if (MUST(fork()) == 0) {
        MUST(chdir(directory));
        for (int i = 0; i < 5; i++) {
            char name[32], other[48];
            snprintf(name, sizeof name, "file-%u", random_below(1000000));
            snprintf(other, sizeof other, "%s-renamed", name);
            close(MUST(open(name, O_CREAT | O_WRONLY, 0600)));
            MUST(rename(name, other));
            MUST(unlink(other));
        }
        _exit(0);
    }
    for (int deleted = 0, batch = 0; deleted < 5; batch++) {
        char bytes[4096] __attribute__((aligned(8)));
        long got = MUST(read(watcher, bytes, sizeof bytes));
        for (char *at = bytes; at < bytes + got;) {
            struct inotify_event *event = (struct inotify_event *)at;
            printf("%d: %03x %u %s\n", batch, event->mask, event->cookie, event->name);
            deleted += (event->mask & IN_DELETE) != 0;
            at += sizeof *event + event->len;
        }
    }
    wait_for_children();
    MUST(rmdir(directory));
}
