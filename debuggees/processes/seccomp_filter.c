// Phenomenon: a seccomp filter that knows nothing of the runtime's own calls; threads and forks behind it.
// Nondeterministic: pids, and which of two threads comes first.
#include "../support.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void *speak(void *name)
{
    say("%s is %ld, prctl gives %d\n", (char *)name, syscall(SYS_gettid), prctl(PR_GET_DUMPABLE) < 0 ? errno : 0);
    return NULL;
}

int main(void)
{
    struct sock_filter refuse_prctl[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof refuse_prctl / sizeof *refuse_prctl, refuse_prctl};
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, speak, "one");
    pthread_create(&threads[1], NULL, speak, "two");
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    if (MUST(fork()) == 0) {
        speak("child");
        _exit(0);
    }
    wait_for_children();
}
