// Phenomenon: sendmsg/recvmsg pass descriptors: pipe ends that are then used by the receiver.
// Nondeterministic: the random text that flows through the passed pipes, pids.
#include "../support.h"

static void send_descriptor(int over, int descriptor, char label)
{
    struct iovec piece = {&label, 1};
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    MUST(sendmsg(over, &message, 0));
}

static int receive_descriptor(int over, char *label)
{
    struct iovec piece = {label, 1};
    char control[CMSG_SPACE(sizeof(int))];
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    MUST(recvmsg(over, &message, 0));
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

int main(void)
{
    int channel[2];
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, channel));
    if (MUST(fork()) == 0) {
        // The child owns no pipe: it writes into what it is given.
        for (int i = 0; i < 3; i++) {
            char label, text[64];
            int out = receive_descriptor(channel[1], &label);
            write_all(out, text, snprintf(text, sizeof text, "%c: %u from %d\n", label, random_below(1000000), getpid()));
            close(out);
        }
        _exit(0);
    }
    for (int i = 0; i < 3; i++) {
        int pipe_ends[2];
        char text[64];
        MUST(pipe(pipe_ends));
        send_descriptor(channel[0], pipe_ends[1], 'a' + i);
        close(pipe_ends[1]);
        read_to_end(pipe_ends[0], text, sizeof text);
        close(pipe_ends[0]);
        say("%s", text);
    }
    wait_for_children();
}
