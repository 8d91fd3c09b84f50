// Phenomenon: everything a process can ask about itself and its machine.
// Nondeterministic: pids, load, free memory, resources used, the processor it runs on.
#include "../support.h"
#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>

int main(void)
{
    struct utsname machine;
    struct sysinfo system;
    struct rusage usage;
    struct tms ticks;
    char host[128];
    unsigned cpu, node;
    MUST(uname(&machine));
    MUST(gethostname(host, sizeof host));
    MUST(sysinfo(&system));
    MUST(getrusage(RUSAGE_SELF, &usage));
    MUST(getcpu(&cpu, &node));
    long since = times(&ticks);
    printf("pid %d tid %d ppid %d pgid %d sid %d\n", getpid(), gettid(), getppid(), getpgrp(), getsid(0));
    printf("uid %d gid %d euid %d\n", getuid(), getgid(), geteuid());
    printf("%s %s on %s\n", machine.sysname, machine.release, host);
    printf("free %lu, load %lu, processes %u, up %ld\n", system.freeram, system.loads[0], system.procs, system.uptime);
    printf("faults %ld, switches %ld, ticks %ld since %ld\n", usage.ru_minflt, usage.ru_nvcsw, (long)ticks.tms_utime, since);
    printf("cpu %u node %u, sched_getcpu %d\n", cpu, node, sched_getcpu());
    cpu_set_t allowed;
    MUST(sched_getaffinity(0, sizeof allowed, &allowed));
    printf("%d processors, %ld online\n", CPU_COUNT(&allowed), sysconf(_SC_NPROCESSORS_ONLN));
}
