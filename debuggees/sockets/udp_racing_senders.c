// Phenomenon: UDP datagrams from several processes.
// Nondeterministic: order of arrival and the senders' ports.
#include "../support.h"

int main(void)
{
    int receiver = MUST(socket(AF_INET, SOCK_DGRAM, 0));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    MUST(bind(receiver, (struct sockaddr *)&address, size));
    MUST(getsockname(receiver, (struct sockaddr *)&address, &size));
    for (int i = 0; i < 3; i++) {
        if (MUST(fork()) == 0) {
            int sender = MUST(socket(AF_INET, SOCK_DGRAM, 0));
            for (int n = 0; n < 4; n++) {
                char text[32];
                int length = snprintf(text, sizeof text, "sender %d datagram %d", i, n);
                MUST(sendto(sender, text, length, 0, (struct sockaddr *)&address, size));
            }
            _exit(0);
        }
    }
    for (int i = 0; i < 12; i++) {
        char text[32] = "";
        struct sockaddr_in from;
        socklen_t from_size = sizeof from;
        MUST(recvfrom(receiver, text, sizeof text - 1, 0, (struct sockaddr *)&from, &from_size));
        printf("%s from port %d\n", text, ntohs(from.sin_port));
    }
    wait_for_children();
}
