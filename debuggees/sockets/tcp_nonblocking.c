// Phenomenon: non-blocking connect, reads and writes with EAGAIN loops.
// Nondeterministic: how often each side had to try again.
#include "../support.h"
#include <poll.h>

enum { TOTAL = 300000 };

static void client(const struct sockaddr_in *address)
{
    int connection = MUST(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    int started = connect(connection, (const struct sockaddr *)address, sizeof *address);
    if (started == -1 && errno != EINPROGRESS)
        MUST(started);
    struct pollfd ready = {connection, POLLOUT, 0};
    MUST(poll(&ready, 1, -1));
    int error;
    socklen_t size = sizeof error;
    MUST(getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &size));
    char bytes[4096];
    memset(bytes, 'x', sizeof bytes);
    int refused = 0;
    for (int done = 0; done < TOTAL;) {
        int piece = TOTAL - done < (int)sizeof bytes ? TOTAL - done : (int)sizeof bytes;
        int sent = write(connection, bytes, piece);
        if (sent > 0) {
            done += sent;
        } else if (errno == EAGAIN) {
            refused++;
            poll(&ready, 1, -1);
        } else {
            MUST(sent);
        }
    }
    say("client: error %d, %s refused %d times\n", error, started ? "in progress" : "at once", refused);
    _exit(0);
}

int main(void)
{
    struct sockaddr_in address;
    int listener = listen_on_loopback(&address), port;
    if (MUST(fork()) == 0)
        client(&address);
    int connection = accept_from(listener, &port);
    MUST(fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK));
    int total = 0, empty = 0, reads = 0;
    for (;;) {
        char bytes[3000];
        int got = read(connection, bytes, sizeof bytes);
        if (got == 0)
            break;
        if (got > 0) {
            total += got;
            reads++;
        } else if (errno == EAGAIN) {
            empty++;
            usleep(20);
        } else {
            MUST(got);
        }
    }
    say("server: %d bytes in %d reads, empty %d times, peer port %d\n", total, reads, empty, port);
    wait_for_children();
}
