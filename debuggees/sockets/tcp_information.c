// Phenomenon: questions about a connection: addresses, TCP_INFO, pending bytes, socket options.
// Nondeterministic: ports, round-trip times, how much has arrived when asked.
#include "../support.h"
#include <sys/ioctl.h>

int main(void)
{
    struct sockaddr_in address, mine, theirs;
    socklen_t size = sizeof mine;
    int listener = listen_on_loopback(&address), port;
    if (MUST(fork()) == 0) {
        int connection = connect_to(&address);
        for (int i = 0; i < 20; i++)
            write_all(connection, "0123456789", 10);
        _exit(0);
    }
    int connection = accept_from(listener, &port), pending = 0, on = 1;
    MUST(setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
    MUST(getsockname(connection, (struct sockaddr *)&mine, &size));
    MUST(getpeername(connection, (struct sockaddr *)&theirs, &size));
    MUST(ioctl(connection, FIONREAD, &pending));
    struct tcp_info info;
    size = sizeof info;
    MUST(getsockopt(connection, IPPROTO_TCP, TCP_INFO, &info, &size));
    printf("%s:%d <- %s:%d, pending %d, rtt %u us, state %u\n", inet_ntoa(mine.sin_addr), ntohs(mine.sin_port),
           inet_ntoa(theirs.sin_addr), ntohs(theirs.sin_port), pending, info.tcpi_rtt, info.tcpi_state);
    char peeked[16], text[256];
    long seen = MUST(recv(connection, peeked, sizeof peeked, MSG_PEEK));
    printf("peeked %ld, then read %zu\n", seen, read_to_end(connection, text, sizeof text));
    wait_for_children();
}
