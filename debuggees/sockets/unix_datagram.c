// Phenomenon: Unix datagram sockets, named by the kernel (autobind), several senders.
// Nondeterministic: order of the datagrams, the names the kernel gave.
#include "../support.h"

int main(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(sa_family_t);
    int receiver = MUST(socket(AF_UNIX, SOCK_DGRAM, 0));
    MUST(bind(receiver, (struct sockaddr *)&address, size)); // An abstract name of the kernel's choice.
    size = sizeof address;
    MUST(getsockname(receiver, (struct sockaddr *)&address, &size));
    for (int i = 0; i < 3; i++) {
        if (MUST(fork()) == 0) {
            int sender = MUST(socket(AF_UNIX, SOCK_DGRAM, 0));
            for (int n = 0; n < 5; n++) {
                char text[32];
                int length = snprintf(text, sizeof text, "%d.%d", i, n);
                MUST(sendto(sender, text, length, 0, (struct sockaddr *)&address, size));
            }
            _exit(0);
        }
    }
    printf("name %s\n", address.sun_path + 1);
    for (int i = 0; i < 15; i++) {
        char text[32] = "";
        MUST(recv(receiver, text, sizeof text - 1, 0));
        printf("%s ", text);
    }
    printf("\n");
    wait_for_children();
}
