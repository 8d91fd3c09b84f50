// Phenomenon: a server with a thread per connection, clients as threads of the same process.
// Nondeterministic: order of the requests at a shared counter.
#include "../support.h"
#include <pthread.h>

static struct sockaddr_in address;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int served;

static void *serve(void *argument)
{
    int connection = (long)argument, value;
    while (MUST(read(connection, &value, sizeof value)) == sizeof value) {
        pthread_mutex_lock(&mutex);
        value = value * 1000 + served++;
        pthread_mutex_unlock(&mutex);
        write_all(connection, &value, sizeof value);
    }
    close(connection);
    return NULL;
}

static void *ask(void *argument)
{
    char line[256];
    int length = snprintf(line, sizeof line, "client %ld:", (long)argument);
    int connection = connect_to(&address);
    for (int i = 0; i < 10; i++) {
        int value = (long)argument;
        write_all(connection, &value, sizeof value);
        MUST(read(connection, &value, sizeof value));
        length += snprintf(line + length, sizeof line - length, " %d", value);
    }
    close(connection);
    say("%s\n", line);
    return NULL;
}

int main(void)
{
    int listener = listen_on_loopback(&address), port;
    pthread_t clients[3], servers[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&clients[i], NULL, ask, (void *)i);
    for (int i = 0; i < 3; i++) {
        long connection = accept_from(listener, &port);
        pthread_create(&servers[i], NULL, serve, (void *)connection);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(clients[i], NULL);
        pthread_join(servers[i], NULL);
    }
    say("served %d, last port %d\n", served, port);
}
