// Heavy traffic that ends only when somebody ends it: for tests that kill in the middle.
// A server, two TCP clients and a pipe between parent and child; says "ready" when all are busy.
// Gives up by itself after twenty seconds.
#include "../support.h"

static void exchange_for_ever(int connection)
{
    for (unsigned long long count = 0;; count++) {
        unsigned long long values[8] = {count, now_ns()};
        if (write(connection, values, sizeof values) != sizeof values)
            _exit(1);
        for (size_t got = 0; got < sizeof values;) {
            long piece = read(connection, (char *)values + got, sizeof values - got);
            if (piece <= 0)
                _exit(1);
            got += piece;
        }
    }
}

static void echo_for_ever(int connection)
{
    char bytes[256];
    long got;
    while ((got = read(connection, bytes, sizeof bytes)) > 0)
        if (write(connection, bytes, got) != got)
            break;
    _exit(0);
}

int main(void)
{
    alarm(20);
    struct sockaddr_in address;
    int listener = listen_on_loopback(&address), port, ends[2];
    for (int i = 0; i < 2; i++) {
        if (MUST(fork()) == 0)
            exchange_for_ever(connect_to(&address));
        int connection = accept_from(listener, &port);
        if (MUST(fork()) == 0)
            echo_for_ever(connection);
        close(connection);
    }
    MUST(pipe(ends));
    if (MUST(fork()) == 0) {
        for (unsigned value = random_below(1000);; value = value * 31 + 7)
            if (write(ends[1], &value, sizeof value) != sizeof value)
                _exit(1);
    }
    close(ends[1]);
    unsigned sum = 0, value;
    for (long count = 0; read(ends[0], &value, sizeof value) == sizeof value; count++) {
        sum += value;
        if (count == 1000)
            say("ready\n");
        if (count % 10000 == 9999)
            say("%ld %u\n", count, sum);
    }
    return 1;
}
