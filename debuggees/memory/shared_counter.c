// Phenomenon: parent and children increment one counter in shared memory by atomic operations.
// Nondeterministic: who makes which increment.
#include "../support.h"

struct shared {
    int next;
    char owner[600];
};

int main(void)
{
    struct shared *shared = shared_memory(sizeof *shared);
    for (int i = 0; i < 3; i++) {
        if (MUST(fork()) == 0) {
            for (int n = 0; n < 200; n++) {
                int mine = __atomic_fetch_add(&shared->next, 1, __ATOMIC_SEQ_CST);
                shared->owner[mine] = 'a' + i;
                if (n % 20 == 0)
                    getppid();
            }
            _exit(0);
        }
    }
    wait_for_children();
    printf("%d %.600s\n", shared->next, shared->owner);
    printf("pid %d\n", getpid());
}
