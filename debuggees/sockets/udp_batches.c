// Phenomenon: sendmmsg and recvmmsg move several datagrams at once; receive timestamps as ancillary data.
// Nondeterministic: how many arrive per batch, the kernel's timestamps.
#include "../support.h"

enum { BATCH = 8, TOTAL = 24 };

int main(void)
{
    int receiver = MUST(socket(AF_INET, SOCK_DGRAM, 0)), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    MUST(bind(receiver, (struct sockaddr *)&address, size));
    MUST(getsockname(receiver, (struct sockaddr *)&address, &size));
    MUST(setsockopt(receiver, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on));
    if (MUST(fork()) == 0) {
        int sender = MUST(socket(AF_INET, SOCK_DGRAM, 0));
        MUST(connect(sender, (struct sockaddr *)&address, size));
        for (int sent = 0; sent < TOTAL;) {
            struct mmsghdr batch[BATCH] = {0};
            char text[BATCH][16];
            struct iovec pieces[BATCH];
            int count = 1 + random_below(BATCH);
            if (count > TOTAL - sent)
                count = TOTAL - sent;
            for (int i = 0; i < count; i++) {
                pieces[i] = (struct iovec){text[i], snprintf(text[i], sizeof text[i], "%d", sent + i)};
                batch[i].msg_hdr = (struct msghdr){.msg_iov = &pieces[i], .msg_iovlen = 1};
            }
            sent += MUST(sendmmsg(sender, batch, count, 0));
        }
        _exit(0);
    }
    for (int received = 0; received < TOTAL;) {
        struct mmsghdr batch[BATCH] = {0};
        char text[BATCH][16], control[BATCH][64];
        struct iovec pieces[BATCH];
        for (int i = 0; i < BATCH; i++) {
            pieces[i] = (struct iovec){text[i], sizeof text[i]};
            batch[i].msg_hdr = (struct msghdr){
                .msg_iov = &pieces[i], .msg_iovlen = 1, .msg_control = control[i], .msg_controllen = sizeof control[i]};
        }
        int count = MUST(recvmmsg(receiver, batch, BATCH, MSG_WAITFORONE, NULL));
        struct timespec stamp = {0};
        struct cmsghdr *extra = CMSG_FIRSTHDR(&batch[0].msg_hdr);
        if (extra)
            memcpy(&stamp, CMSG_DATA(extra), sizeof stamp);
        printf("%d datagrams, first %.*s at %ld ns\n", count, (int)batch[0].msg_len, text[0], stamp.tv_nsec);
        received += count;
    }
    wait_for_children();
}
