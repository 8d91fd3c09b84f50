// Phenomenon: several worker processes accept on one shared listener.
// Nondeterministic: which worker gets which client.
#include "../support.h"

enum { WORKERS = 3, CLIENTS = 12 };

static void work(int listener, int worker)
{
    for (;;) {
        int port;
        char request[32];
        int connection = accept_from(listener, &port);
        read_to_end(connection, request, sizeof request);
        if (strcmp(request, "quit") == 0)
            _exit(0);
        char answer[64];
        int length = snprintf(answer, sizeof answer, "%s by worker %d (pid %d)", request, worker, getpid());
        write_all(connection, answer, length);
        close(connection);
    }
}

static void ask(const struct sockaddr_in *address, const char *request, char *answer, size_t size)
{
    int connection = connect_to(address);
    write_all(connection, request, strlen(request));
    shutdown(connection, SHUT_WR);
    read_to_end(connection, answer, size);
    close(connection);
}

int main(void)
{
    struct sockaddr_in address;
    int listener = listen_on_loopback(&address);
    for (int i = 0; i < WORKERS; i++)
        if (MUST(fork()) == 0)
            work(listener, i);
    pid_t clients[2];
    for (int c = 0; c < 2; c++) {
        if ((clients[c] = MUST(fork())) == 0) {
            for (int i = 0; i < CLIENTS / 2; i++) {
                char request[32], answer[64];
                snprintf(request, sizeof request, "request %d.%d", c, i);
                ask(&address, request, answer, sizeof answer);
                say("%s\n", answer);
            }
            _exit(0);
        }
    }
    for (int c = 0; c < 2; c++)
        MUST(waitpid(clients[c], NULL, 0));
    for (int i = 0; i < WORKERS; i++) {
        char answer[8];
        ask(&address, "quit", answer, sizeof answer);
    }
    wait_for_children();
}
