/*
 * memcached_load CLIENTS REQUESTS PAIRS PORT PORT: CLIENTS threads, each with a connection to both of two memcacheds on
 * this host. By turns they load the one and the other: each makes REQUESTS requests, one at a time; one of ten stores
 * 100 bytes, the others fetch. Prints for each pair of turns the requests per second of both servers. The turns are
 * short, so that a slow spell of the machine hits both, and every second pair begins with the second server.
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

enum { MOST_CLIENTS = 64, KEYS = 500, VALUE = 100, SERVERS = 2 };

static int ports[SERVERS], clients, requests, pairs;
static pthread_barrier_t line;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

static int connect_to_server(int port) {
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

/* The server that is loaded in a turn. */
static int server_of(int turn) { return (turn ^ turn / SERVERS) % SERVERS; }

static void *talk(void *argument) {
    long me = (long)argument;
    int connections[SERVERS];
    for (int i = 0; i < SERVERS; i++)
        connections[i] = connect_to_server(ports[i]);
    char value[VALUE + 1], request[256];
    memset(value, 'a' + (int)me % 26, VALUE);
    value[VALUE] = 0;
    for (int turn = 0; turn < pairs * SERVERS; turn++) {
        pthread_barrier_wait(&line);
        for (int i = 0; i < requests; i++) {
            int key = (int)((i * 7 + me * 31) % KEYS);
            int length = i % 10 == 0
                             ? snprintf(request, sizeof request, "set key%d 0 0 %d\r\n%s\r\n", key, VALUE, value)
                             : snprintf(request, sizeof request, "get key%d\r\n", key);
            ask(connections[server_of(turn)], request, (size_t)length);
        }
        pthread_barrier_wait(&line);
    }
    for (int i = 0; i < SERVERS; i++)
        close(connections[i]);
    return NULL;
}

int main(int count, char **words) {
    if (count != 4 + SERVERS) {
        fprintf(stderr, "usage: memcached_load CLIENTS REQUESTS PAIRS PORT PORT\n");
        return 2;
    }
    clients = atoi(words[1]);
    requests = atoi(words[2]);
    pairs = atoi(words[3]);
    for (int i = 0; i < SERVERS; i++)
        ports[i] = atoi(words[4 + i]);
    if (clients < 1 || clients > MOST_CLIENTS)
        return 2;
    pthread_barrier_init(&line, NULL, (unsigned)clients + 1);
    pthread_t threads[MOST_CLIENTS];
    for (long i = 0; i < clients; i++)
        if (pthread_create(&threads[i], NULL, talk, (void *)i) != 0)
            give_up("pthread_create");
    for (int pair = 0; pair < pairs; pair++) {
        double rates[SERVERS];
        for (int i = 0; i < SERVERS; i++) {
            pthread_barrier_wait(&line);
            double began = now();
            pthread_barrier_wait(&line);
            rates[server_of(pair * SERVERS + i)] = (double)clients * requests / (now() - began);
        }
        printf("%.0f %.0f\n", rates[0], rates[1]);
    }
    for (int i = 0; i < clients; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
