// Phenomenon: a level-triggered epoll echo server with several client processes.
// Nondeterministic: how events are batched, the order of the clients.
#include "../support.h"
#include <sys/epoll.h>

enum { CLIENTS = 4, ROUNDS = 10 };

static void client(const struct sockaddr_in *address, int number)
{
    int connection = connect_to(address);
    for (int i = 0; i < ROUNDS; i++) {
        char text[32], back[32] = "";
        int length = snprintf(text, sizeof text, "client %d round %d", number, i);
        write_all(connection, text, length);
        for (int got = 0; got < length;)
            got += MUST(read(connection, back + got, length - got));
        if (memcmp(text, back, length) != 0)
            _exit(1);
    }
    _exit(0);
}

int main(void)
{
    struct sockaddr_in address;
    int listener = listen_on_loopback(&address), poller = MUST(epoll_create1(EPOLL_CLOEXEC));
    for (int i = 0; i < CLIENTS; i++)
        if (MUST(fork()) == 0)
            client(&address, i);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    MUST(epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event));
    char log[4096];
    int length = 0;
    for (int closed = 0; closed < CLIENTS;) {
        struct epoll_event ready[8];
        int count = MUST(epoll_wait(poller, ready, 8, -1));
        length += snprintf(log + length, sizeof log - length, "%d:", count);
        for (int i = 0; i < count; i++) {
            int fd = ready[i].data.fd;
            length += snprintf(log + length, sizeof log - length, "%d ", fd);
            if (fd == listener) {
                int port;
                event.data.fd = accept_from(listener, &port);
                MUST(epoll_ctl(poller, EPOLL_CTL_ADD, event.data.fd, &event));
                continue;
            }
            char bytes[64];
            long got = MUST(read(fd, bytes, sizeof bytes));
            if (got > 0) {
                write_all(fd, bytes, got);
            } else {
                MUST(epoll_ctl(poller, EPOLL_CTL_DEL, fd, NULL));
                close(fd);
                closed++;
            }
        }
    }
    printf("%d %s\n", getpid(), log);
    wait_for_children();
}
