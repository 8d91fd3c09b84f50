// Bug: use after free by a race. A session is closed while a request still works with it, and its block
// becomes another session. Pattern: Zhang et al., "ConMem", ASPLOS 2010.
// Fails with status 1 when the request reads another session's name.
#include "bug.h"

struct session {
    int user;
    char name[28];
};

static struct session *volatile current;
static int wrong;

static struct session *open_session(int user)
{
    struct session *session = malloc(sizeof *session);
    session->user = user;
    snprintf(session->name, sizeof session->name, "user %d", user);
    return session;
}

static void *request(void *argument)
{
    for (int i = 0; i < 10; i++) {
        struct session *session = current;
        int user = session->user;
        dawdle(20);
        if (session->user != user) {
            printf("request %d of user %d sees '%s'\n", i, user, session->name);
            wrong = 1;
        }
    }
    return argument;
}

static void *reconnect(void *argument)
{
    for (int i = 0; i < 3; i++) {
        dawdle(150);
        struct session *old = current;
        free(old);
        current = open_session(100 + i);
    }
    return argument;
}

int main(void)
{
    current = open_session(1);
    run_two(request, reconnect, NULL);
    printf("last %s\n", current->name);
    return wrong ? WRONG : 0;
}
