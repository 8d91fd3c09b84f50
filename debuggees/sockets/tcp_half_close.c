// Phenomenon: each side shuts down its own direction; the other still flows. Ends with a reset.
// Nondeterministic: the random payload and the port numbers.
#include "../support.h"

int main(void)
{
    struct sockaddr_in address;
    int listener = listen_on_loopback(&address), port;
    if (MUST(fork()) == 0) {
        int connection = connect_to(&address);
        unsigned numbers[64];
        MUST(getrandom(numbers, sizeof numbers, 0));
        write_all(connection, numbers, sizeof numbers);
        MUST(shutdown(connection, SHUT_WR));
        char answer[128];
        read_to_end(connection, answer, sizeof answer);
        say("client received: %s\n", answer);
        struct linger hard = {1, 0};
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        _exit(0);
    }
    int connection = accept_from(listener, &port);
    char numbers[512];
    size_t got = read_to_end(connection, numbers, sizeof numbers);
    char answer[128];
    int length = snprintf(answer, sizeof answer, "%zu bytes from port %d with checksum %08x", got, port,
                          checksum(0, numbers, got));
    write_all(connection, answer, length);
    MUST(shutdown(connection, SHUT_WR));
    wait_for_children();
    long last = recv(connection, numbers, 1, 0);
    say("server: last read %ld (%s)\n", last, last < 0 ? strerror(errno) : "end");
}
