// Phenomenon: what threads tell each other through the kernel is in order without a lock: half of them mark a question as
// asked and send it as a datagram, the others receive it and find the mark.
// Nondeterministic: who receives what.
#include "team.h"

enum { QUESTIONS = ACCESSES };

static volatile int asked[QUESTIONS];
static int there, here;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history received;

static void *talk(void *number)
{
    long who = (long)number;
    int pairs = team_size / 2, part = QUESTIONS / pairs;
    for (int i = 0; i < part; i++) {
        int question = (int)(who / 2) * part + i;
        if (who % 2 == 0) {
            asked[question] = 1;
            MUST(send(there, &question, sizeof question, 0));
            idle();
        } else {
            MUST(recv(here, &question, sizeof question, 0));
            // Not a lock on the way to the mark: the kernel alone has ordered the two.
            bool known = asked[question];
            OK(pthread_mutex_lock(&mutex));
            if (!known)
                OK(pthread_mutex_trylock(&mutex));
            add(&received, (int)who);
            OK(pthread_mutex_unlock(&mutex));
        }
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    int pair[2];
    MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    there = pair[0];
    here = pair[1];
    run_team(talk);
    show("received", &received);
    return 0;
}
