// Helpers shared by the C debuggees. Every program shows one phenomenon; this file keeps the rest short.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Ends the program with status 99 when a call that has to work does not, and says which.
#define MUST(call) must_result((long)(call), #call, __FILE__, __LINE__)

static inline long must_result(long result, const char *call, const char *file, int line)
{
    if (result == -1) {
        dprintf(2, "%s:%d: %s: %s\n", file, line, call, strerror(errno));
        _exit(99);
    }
    return result;
}

// One line by one write(2): no stdio buffer that a fork could double.
__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    MUST(write(1, text, length));
}

static inline long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static inline unsigned random_below(unsigned limit)
{
    unsigned value;
    MUST(getrandom(&value, sizeof value, 0));
    return value % limit;
}

static inline void sleep_us(long us)
{
    struct timespec pause = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&pause, NULL);
}

static inline void write_all(int fd, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length;)
        done += MUST(write(fd, (const char *)bytes + done, length - done));
}

// Reads until the end of the stream or until the buffer is full; adds a final zero byte.
static inline size_t read_to_end(int fd, char *bytes, size_t size)
{
    size_t done = 0;
    while (done + 1 < size) {
        long got = MUST(read(fd, bytes + done, size - 1 - done));
        if (got == 0)
            break;
        done += got;
    }
    bytes[done] = 0;
    return done;
}

static inline uint32_t checksum(uint32_t sum, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 16777619u;
    return sum;
}

// A TCP listener on a free port of the loopback; `address` receives where it listens.
static inline int listen_on_loopback(struct sockaddr_in *address)
{
    int listener = MUST(socket(AF_INET, SOCK_STREAM, 0));
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof *address;
    MUST(bind(listener, (struct sockaddr *)address, size));
    MUST(listen(listener, 64));
    MUST(getsockname(listener, (struct sockaddr *)address, &size));
    return listener;
}

static inline int connect_to(const struct sockaddr_in *address)
{
    int connection = MUST(socket(AF_INET, SOCK_STREAM, 0));
    MUST(connect(connection, (const struct sockaddr *)address, sizeof *address));
    return connection;
}

// Accepts one connection and tells the port at its other end.
static inline int accept_from(int listener, int *peer_port)
{
    struct sockaddr_in peer;
    socklen_t size = sizeof peer;
    int connection = MUST(accept(listener, (struct sockaddr *)&peer, &size));
    *peer_port = ntohs(peer.sin_port);
    return connection;
}

// Waits for every child; a child that failed makes the whole program fail.
static inline void wait_for_children(void)
{
    int status;
    while (wait(&status) > 0)
        if (status != 0)
            _exit(98);
}

// A fresh directory below $TMPDIR or /tmp.
static inline const char *temporary_directory(void)
{
    static char path[256];
    const char *base = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/wayfarer-debuggee-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(path))
        MUST(-1);
    return path;
}

// Memory that parent and children share.
static inline void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        MUST(-1);
    return memory;
}
