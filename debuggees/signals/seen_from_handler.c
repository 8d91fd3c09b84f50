// Phenomenon: a handler that interrupts a waiting call finds the functions that led there, call by call, and errno as it
// was; one more leaves by siglongjmp.
// Nondeterministic: process id, how often a timer struck before the call was reached.
#include "../support.h"
#include <execinfo.h>
#include <poll.h>
#include <setjmp.h>
#include <sys/epoll.h>

// The functions in between lie in a section of their own, whose ends the linker knows.
#define INSIDE __attribute__((noinline, section("inside")))
extern char __start_inside[], __stop_inside[];

static volatile sig_atomic_t found, in_all, jumps;
static sigjmp_buf out;

static void look(int signal)
{
    (void)signal;
    void *frames[64];
    int count = backtrace(frames, 64);
    int ours = 0;
    for (int i = 0; i < count; i++)
        ours += (char *)frames[i] >= __start_inside && (char *)frames[i] < __stop_inside;
    if (ours > found) {
        found = ours;
        in_all = count;
    }
    errno = EDOM;
    if (jumps)
        siglongjmp(out, 1);
}

enum call { READ, POLL, EPOLL, RECV, RECVMSG, SEND, CALLS };
static const char *const names[] = {"read", "poll", "epoll_wait", "recv", "recvmsg", "send"};
static int pair[2], readiness;

INSIDE static long wait_in(enum call call)
{
    static char bytes[1 << 20];
    struct pollfd one = {.fd = pair[0], .events = POLLIN};
    struct epoll_event event;
    struct iovec piece = {bytes, sizeof bytes};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    long result = 0;
    switch (call) {
    case READ: result = read(pair[0], bytes, sizeof bytes); break;
    case POLL: result = poll(&one, 1, 10000); break;
    case EPOLL: result = epoll_wait(readiness, &event, 1, 10000); break;
    case RECV: result = recv(pair[0], bytes, sizeof bytes, 0); break;
    case RECVMSG: result = recvmsg(pair[0], &message, 0); break;
    // The first ones fill the buffer.
    case SEND: do result = send(pair[0], bytes, sizeof bytes, MSG_NOSIGNAL); while (result > 0); break;
    case CALLS: break;
    }
    return result;
}

INSIDE static void try_out(enum call call)
{
    // Again and again: the first strike may come before the call.
    struct itimerval timer = {{0, 3000}, {0, 3000}}, none = {{0, 0}, {0, 0}};
    found = 0;
    MUST(setitimer(ITIMER_REAL, &timer, NULL));
    long result = wait_in(call);
    int error = errno;
    MUST(setitimer(ITIMER_REAL, &none, NULL));
    say("%s: %ld %s, %d functions of ours, %d in all\n", names[call], result, strerror(error), (int)found, (int)in_all);
    if (found != 2 || error != EINTR)
        _exit(98);
}

int main(void)
{
    void *first[1];
    backtrace(first, 1); // loads what it needs
    struct sigaction action = {.sa_handler = look};
    MUST(sigaction(SIGALRM, &action, NULL));
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    readiness = MUST(epoll_create1(0));
    struct epoll_event event = {.events = EPOLLIN};
    MUST(epoll_ctl(readiness, EPOLL_CTL_ADD, pair[0], &event));
    for (enum call call = READ; call < CALLS; call++)
        try_out(call);
    jumps = 1;
    for (enum call call = READ; call < SEND; call++)
        if (!sigsetjmp(out, 1)) {
            found = 0;
            struct itimerval timer = {{0, 0}, {0, 3000}};
            MUST(setitimer(ITIMER_REAL, &timer, NULL));
            wait_in(call);
        } else {
            say("out of %s, %d functions of ours, errno %d\n", names[call], (int)found, errno);
        }
    say("%d ends\n", getpid());
    return 0;
}
