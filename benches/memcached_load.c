/*
 * memcached_load PORT CLIENTS REQUESTS: CLIENTS connections to a memcached on this host, each a thread that makes
 * REQUESTS requests, one at a time; one of ten stores 100 bytes, the others fetch. Prints requests per second.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CLIENTS = 64, KEYS = 500, VALUE = 100 };

static int port, clients, requests;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

static int connect_to_server(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int connection = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
        give_up("connect");
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return connection;
}

/* Sends one request and reads until its answer is complete. */
static void ask(int connection, const char *request, size_t length) {
    if (write(connection, request, length) != (ssize_t)length)
        give_up("write");
    char answer[1024];
    for (size_t got = 0;;) {
        ssize_t more = read(connection, answer + got, sizeof answer - got);
        if (more <= 0)
            give_up("read");
        got += (size_t)more;
        if ((got >= 5 && memcmp(answer + got - 5, "END\r\n", 5) == 0) ||
            (got >= 8 && memcmp(answer + got - 8, "STORED\r\n", 8) == 0))
            return;
        if (got == sizeof answer || memcmp(answer, "ERROR", 5) == 0) {
            fprintf(stderr, "unexpected answer: %.40s\n", answer);
            exit(1);
        }
    }
}

static void *talk(void *argument) {
    long me = (long)argument;
    int connection = connect_to_server();
    char value[VALUE + 1], request[256];
    memset(value, 'a' + (int)me % 26, VALUE);
    value[VALUE] = 0;
    for (int i = 0; i < requests; i++) {
        int key = (int)((i * 7 + me * 31) % KEYS);
        int length = i % 10 == 0
                         ? snprintf(request, sizeof request, "set key%d 0 0 %d\r\n%s\r\n", key, VALUE, value)
                         : snprintf(request, sizeof request, "get key%d\r\n", key);
        ask(connection, request, (size_t)length);
    }
    close(connection);
    return NULL;
}

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "usage: memcached_load PORT CLIENTS REQUESTS\n");
        return 2;
    }
    port = atoi(words[1]);
    clients = atoi(words[2]);
    requests = atoi(words[3]);
    if (clients < 1 || clients > MOST_CLIENTS)
        return 2;
    pthread_t threads[MOST_CLIENTS];
    double began = now();
    for (long i = 0; i < clients; i++)
        if (pthread_create(&threads[i], NULL, talk, (void *)i) != 0)
            give_up("pthread_create");
    for (int i = 0; i < clients; i++)
        pthread_join(threads[i], NULL);
    printf("%.0f\n", (double)clients * requests / (now() - began));
    return 0;
}
