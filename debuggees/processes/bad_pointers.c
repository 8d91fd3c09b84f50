// Phenomenon: calls with pointers to nowhere are answered with EFAULT, not with a fault.
// Nondeterministic: the pid, and random bytes between the calls.
#include "../support.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

static void tell(const char *name, long result)
{
    say("%s: %ld %d\n", name, result, result < 0 ? errno : 0);
}

int main(void)
{
    void *nowhere = (void *)0x1000;
    int ends[2];
    MUST(pipe(ends));
    unsigned salt = random_below(1000);
    tell("write", write(ends[1], nowhere, 10));
    tell("writev", writev(ends[1], nowhere, 2));
    tell("open", open(nowhere, O_RDONLY));
    tell("poll", poll(nowhere, 1, 0));
    tell("sendmsg", sendmsg(ends[1], nowhere, 0));
    tell("sigaction", syscall(SYS_rt_sigaction, SIGUSR1, nowhere, NULL, 8));
    tell("sigprocmask", syscall(SYS_rt_sigprocmask, SIG_BLOCK, nowhere, NULL, 8));
    tell("connect", connect(ends[0], nowhere, 16));
    tell("nanosleep", nanosleep(nowhere, NULL));
    MUST(write(ends[1], "x", 1));
    tell("read", read(ends[0], nowhere, 1));
    char *nothing[] = {nowhere, NULL};
    tell("execve", execve("/nowhere/at/all", nothing, nothing));
    say("%d is alive, salt %u\n", (int)getpid(), salt);
}
