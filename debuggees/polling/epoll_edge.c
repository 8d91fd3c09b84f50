// Phenomenon: edge-triggered epoll with EPOLLONESHOT re-arming; each event is drained until EAGAIN.
// Nondeterministic: how many bytes each edge stands for.
#include "../support.h"
#include <sys/epoll.h>

enum { WRITERS = 3, TOTAL = 20000 };

int main(void)
{
    int poller = MUST(epoll_create1(0));
    for (int i = 0; i < WRITERS; i++) {
        int ends[2];
        MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
        if (MUST(fork()) == 0) {
            close(ends[0]);
            char bytes[500] = "";
            for (int sent = 0; sent < TOTAL; sent += sizeof bytes)
                write_all(ends[1], bytes, sizeof bytes);
            _exit(0);
        }
        close(ends[1]);
        MUST(fcntl(ends[0], F_SETFL, O_NONBLOCK));
        struct epoll_event event = {.events = EPOLLIN | EPOLLET | (i == 0 ? EPOLLONESHOT : 0), .data.u64 = ends[0]};
        MUST(epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event));
    }
    int edges = 0;
    long total = 0;
    uint32_t pattern = 0;
    for (int open_count = WRITERS; open_count > 0;) {
        struct epoll_event event;
        MUST(epoll_wait(poller, &event, 1, -1));
        edges++;
        int fd = event.data.u64;
        long drained = 0, got;
        char bytes[700];
        while ((got = read(fd, bytes, sizeof bytes)) > 0)
            drained += got;
        total += drained;
        pattern = checksum(pattern, &drained, sizeof drained);
        if (got == 0) {
            // The children hold copies of the descriptor: closing alone would not end the watch.
            MUST(epoll_ctl(poller, EPOLL_CTL_DEL, fd, NULL));
            close(fd);
            open_count--;
        } else {
            event = (struct epoll_event){.events = EPOLLIN | EPOLLET | EPOLLONESHOT, .data.u64 = fd};
            MUST(epoll_ctl(poller, EPOLL_CTL_MOD, fd, &event));
        }
    }
    printf("%ld bytes, %d edges, pattern %08x, pid %d\n", total, edges, pattern, getpid());
    wait_for_children();
}
