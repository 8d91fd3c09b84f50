// The demo for newcomers: a bank that loses money, in some runs only.
//
// A server keeps one account behind a tiny protocol on a loopback TCP port. Three clients, each a
// process of its own, pay in 100 coins each, a few at a time. To pay in, a client asks for the
// balance (GET), adds its coins, and stores the sum (SET balance). When another client pays in
// between the two, its coins are lost: a classic lost update between processes.
//
// Ends with "total is 300" and status 0, or with "LOST MONEY: total is 2xx, expected 300" and 1.
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLIENTS = 3, PAYMENTS = 4, COINS = 25, EXPECTED = CLIENTS * PAYMENTS * COINS };

static void must(int worked, const char *what)
{
    if (!worked) {
        perror(what);
        exit(2);
    }
}

// One line of the protocol; false when the other side has closed.
static int read_line(int connection, char *line, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && read(connection, line + length, 1) == 1)
        if (line[length++] == '\n')
            break;
    line[length] = 0;
    return length > 0;
}

static int ask(int connection, const char *request)
{
    char answer[64];
    must(write(connection, request, strlen(request)) > 0, "asking the server");
    must(read_line(connection, answer, sizeof answer), "reading the answer");
    return atoi(answer);
}

static int connect_to(struct sockaddr_in *address)
{
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(connection, (struct sockaddr *)address, sizeof *address) == 0, "connect");
    return connection;
}

// Customers come when they come: anything up to twelve milliseconds after the one before.
static void wait_for_customer(void)
{
    unsigned moment;
    must(getrandom(&moment, sizeof moment, 0) == sizeof moment, "getrandom");
    usleep(moment % 12000);
}

static void run_client(struct sockaddr_in *address)
{
    int connection = connect_to(address);
    for (int payment = 0; payment < PAYMENTS; payment++) {
        char request[64];
        wait_for_customer();
        int balance = ask(connection, "GET\n");
        snprintf(request, sizeof request, "SET %d\n", balance + COINS);
        ask(connection, request);
    }
    exit(0);
}

// Answers one request at a time, in the order in which they come.
static void run_server(int listener)
{
    int connections[CLIENTS + 1], count = 0, balance = 0;
    for (;;) {
        fd_set readable;
        int highest = listener;
        FD_ZERO(&readable);
        FD_SET(listener, &readable);
        for (int i = 0; i < count; i++) {
            FD_SET(connections[i], &readable);
            highest = connections[i] > highest ? connections[i] : highest;
        }
        must(select(highest + 1, &readable, NULL, NULL, NULL) > 0, "select");
        for (int i = 0; i < count; i++) {
            char line[64], answer[64];
            int sum;
            if (!FD_ISSET(connections[i], &readable))
                continue;
            if (!read_line(connections[i], line, sizeof line)) {
                close(connections[i]);
                connections[i--] = connections[--count];
                continue;
            }
            if (strncmp(line, "QUIT", 4) == 0)
                exit(0);
            if (sscanf(line, "SET %d", &sum) == 1)
                balance = sum;
            int length = snprintf(answer, sizeof answer, "%d\n", balance);
            must(write(connections[i], answer, length) == length, "answering");
        }
        if (FD_ISSET(listener, &readable) && count <= CLIENTS)
            must((connections[count++] = accept(listener, NULL, NULL)) >= 0, "accept");
    }
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(listener, (struct sockaddr *)&address, size) == 0, "bind");
    must(listen(listener, 8) == 0, "listen");
    must(getsockname(listener, (struct sockaddr *)&address, &size) == 0, "getsockname");
    pid_t server = fork(), clients[CLIENTS];
    if (server == 0)
        run_server(listener);
    close(listener);
    for (int i = 0; i < CLIENTS; i++)
        if ((clients[i] = fork()) == 0)
            run_client(&address);
    for (int i = 0; i < CLIENTS; i++)
        waitpid(clients[i], NULL, 0);
    int connection = connect_to(&address), total = ask(connection, "GET\n");
    must(write(connection, "QUIT\n", 5) == 5, "stopping the server");
    waitpid(server, NULL, 0);
    if (total == EXPECTED) {
        printf("total is %d\n", total);
        return 0;
    }
    printf("LOST MONEY: total is %d, expected %d\n", total, EXPECTED);
    return 1;
}
