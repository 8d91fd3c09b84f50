// Phenomenon: sequenced packets over an abstract Unix socket; message boundaries and truncation.
// Nondeterministic: random lengths of the messages.
#include "../support.h"

int main(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "wayfarer-debuggee-%d", getpid());
    int listener = MUST(socket(AF_UNIX, SOCK_SEQPACKET, 0));
    MUST(bind(listener, (struct sockaddr *)&address, sizeof address));
    MUST(listen(listener, 1));
    if (MUST(fork()) == 0) {
        int connection = MUST(socket(AF_UNIX, SOCK_SEQPACKET, 0));
        MUST(connect(connection, (struct sockaddr *)&address, sizeof address));
        char bytes[400] = "packet";
        for (int i = 0; i < 10; i++)
            MUST(send(connection, bytes, 1 + random_below(sizeof bytes), 0));
        _exit(0);
    }
    int connection = MUST(accept(listener, NULL, NULL));
    for (;;) {
        char bytes[200];
        struct iovec piece = {bytes, sizeof bytes};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
        long got = MUST(recvmsg(connection, &message, 0));
        if (got == 0)
            break;
        printf("%ld%s ", got, message.msg_flags & MSG_TRUNC ? " (cut)" : "");
    }
    printf("\n");
    wait_for_children();
}
