// Phenomenon: accept and connect in racing order.
// Nondeterministic: which of four client processes is accepted first, their ports and pids.
#include "../support.h"

int main(void)
{
    struct sockaddr_in address;
    int listener = listen_on_loopback(&address);
    for (int i = 0; i < 4; i++) {
        if (MUST(fork()) == 0) {
            char text[64];
            int connection = connect_to(&address);
            int length = snprintf(text, sizeof text, "client %d, pid %d", i, getpid());
            write_all(connection, text, length);
            shutdown(connection, SHUT_WR);
            read_to_end(connection, text, sizeof text);
            say("client %d is %s\n", i, text);
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++) {
        int port;
        char text[64];
        int connection = accept_from(listener, &port);
        read_to_end(connection, text, sizeof text);
        say("port %d: %s\n", port, text);
        int length = snprintf(text, sizeof text, "number %d", i);
        write_all(connection, text, length);
        close(connection);
    }
    wait_for_children();
}
