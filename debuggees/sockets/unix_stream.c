// Phenomenon: Unix stream sockets with a path, and the credentials of the peer.
// Nondeterministic: order of the clients, pids, the name of the directory.
#include "../support.h"

int main(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *directory = temporary_directory();
    snprintf(address.sun_path, sizeof address.sun_path, "%.80s/socket", directory);
    int listener = MUST(socket(AF_UNIX, SOCK_STREAM, 0));
    MUST(bind(listener, (struct sockaddr *)&address, sizeof address));
    MUST(listen(listener, 8));
    for (int i = 0; i < 4; i++) {
        if (MUST(fork()) == 0) {
            int connection = MUST(socket(AF_UNIX, SOCK_STREAM, 0));
            MUST(connect(connection, (struct sockaddr *)&address, sizeof address));
            char text[64];
            write_all(connection, text, snprintf(text, sizeof text, "hello from %d", i));
            shutdown(connection, SHUT_WR);
            read_to_end(connection, text, sizeof text);
            _exit(strcmp(text, "welcome") != 0);
        }
    }
    for (int i = 0; i < 4; i++) {
        int connection = MUST(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
        struct ucred peer;
        socklen_t size = sizeof peer;
        MUST(getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size));
        char text[64];
        read_to_end(connection, text, sizeof text);
        say("%s: pid %d\n", text, peer.pid);
        write_all(connection, "welcome", 7);
        close(connection);
    }
    wait_for_children();
    say("in %s\n", directory);
    unlink(address.sun_path);
    rmdir(directory);
}
