// Phenomenon: a client tries to connect until the server listens.
// Nondeterministic: the number of refused attempts.
#include "../support.h"

int main(void)
{
    // Bound but not yet listening: connections are refused until the child calls listen.
    int listener = MUST(socket(AF_INET, SOCK_STREAM, 0));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    MUST(bind(listener, (struct sockaddr *)&address, size));
    MUST(getsockname(listener, (struct sockaddr *)&address, &size));
    if (MUST(fork()) == 0) {
        sleep_us(3000 + random_below(4000));
        MUST(listen(listener, 1));
        int port;
        int connection = accept_from(listener, &port);
        write_all(connection, "hello\n", 6);
        _exit(0);
    }
    close(listener);
    for (int refused = 0;; refused++) {
        int connection = MUST(socket(AF_INET, SOCK_STREAM, 0));
        if (connect(connection, (struct sockaddr *)&address, size) == 0) {
            char text[16];
            read_to_end(connection, text, sizeof text);
            printf("port %d refused %d times, then: %s", ntohs(address.sin_port), refused, text);
            break;
        }
        if (errno != ECONNREFUSED)
            MUST(-1);
        close(connection);
        sleep_us(100);
    }
    wait_for_children();
}
