// Phenomenon: a large transfer through small socket buffers, with short reads and short writes.
// Nondeterministic: the sizes of the pieces in which two megabytes arrive.
#include "../support.h"

enum { TOTAL = 2 << 20 };

static void send_everything(const struct sockaddr_in *address)
{
    int connection = connect_to(address), small = 8192;
    setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    char *bytes = malloc(TOTAL);
    for (int i = 0; i < TOTAL; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    unsigned writes = 0;
    for (int done = 0; done < TOTAL; writes++) {
        size_t piece = 100000 < TOTAL - done ? 100000 : TOTAL - done;
        done += MUST(send(connection, bytes + done, piece, MSG_NOSIGNAL));
    }
    _exit(writes > 0 ? 0 : 1);
}

int main(void)
{
    struct sockaddr_in address;
    int listener = listen_on_loopback(&address), small = 8192, port;
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    if (MUST(fork()) == 0)
        send_everything(&address);
    int connection = accept_from(listener, &port);
    char piece[50000];
    uint32_t sum = 0, sizes = 0;
    long got, total = 0, reads = 0;
    while ((got = MUST(read(connection, piece, sizeof piece))) > 0) {
        sum = checksum(sum, piece, got);
        sizes = checksum(sizes, &got, sizeof got);
        total += got;
        reads++;
    }
    printf("%ld bytes, checksum %08x, in %ld reads (sizes %08x)\n", total, sum, reads, sizes);
    wait_for_children();
}
