// Phenomenon: threads are cancelled while they wait for a stream's input with its lock in hand, or for that lock.
// Nondeterministic: who is cancelled, and who uses the stream next.
#include "team.h"

static FILE *input;
static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history came;

static void *read_a_line(void *number)
{
    char line[64];
    idle();
    if (!fgets(line, sizeof line, input))
        MUST(-1);
    OK(pthread_mutex_lock(&mutex));
    add(&came, (int)(long)number);
    OK(pthread_mutex_unlock(&mutex));
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    MUST(pipe(ends));
    input = fdopen(ends[0], "r");
    if (!input)
        MUST(-1);
    setvbuf(input, NULL, _IONBF, 0);
    pthread_t threads[MOST_THREADS];
    for (long i = 0; i < team_size; i++)
        OK(pthread_create(&threads[i], NULL, read_a_line, (void *)i));
    sleep_us(2000);
    // Half of them get a line each, whoever that may be.
    for (int i = 0; i < team_size; i += 2)
        OK(pthread_cancel(threads[i]));
    for (int i = 0; i < team_size; i++)
        MUST(write(ends[1], "line\n", 5));
    int cancelled = 0;
    for (int i = 0; i < team_size; i++) {
        void *result;
        OK(pthread_join(threads[i], &result));
        cancelled += result == PTHREAD_CANCELED;
    }
    // The stream is nobody's.
    MUST(write(ends[1], "last\n", 5));
    char line[64];
    if (!fgets(line, sizeof line, input))
        MUST(-1);
    printf("%d cancelled, then %s", cancelled, line);
    show("came", &came);
}
