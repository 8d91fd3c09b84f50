// Phenomenon: a set of System V semaphores is asked for its values, its description and the system's limits; a file
// for its handle, first with too little room.
// Nondeterministic: the values, times and handle.
#include "../support.h"
#include <sys/sem.h>

union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
    struct seminfo *info;
};

enum { COUNT = 5 };

static void semaphores(void)
{
    int set = semget(IPC_PRIVATE, COUNT, 0600);
    if (set == -1) {
        say("no semaphores: %d\n", errno);
        return;
    }
    unsigned short given[COUNT], values[COUNT] = {0};
    for (int i = 0; i < COUNT; i++)
        given[i] = random_below(1000);
    MUST(semctl(set, 0, SETALL, (union semun){.array = given}));
    MUST(semctl(set, 0, GETALL, (union semun){.array = values}));
    for (int i = 0; i < COUNT; i++)
        say("%d: %d, really %ld\n", i, values[i], MUST(semctl(set, i, GETVAL)));
    struct semid_ds description;
    MUST(semctl(set, 0, IPC_STAT, (union semun){.buf = &description}));
    say("%ld semaphores, changed at %ld\n", (long)description.sem_nsems, (long)description.sem_ctime);
    struct seminfo limits;
    int highest = MUST(semctl(0, 0, SEM_INFO, (union semun){.info = &limits}));
    say("%d sets and %d semaphores at most, highest %d\n", limits.semmni, limits.semmns, highest);
    MUST(semctl(set, 0, IPC_RMID));
}

static void handle(void)
{
    const char *path = temporary_directory();
    union {
        struct file_handle handle;
        char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    } file = {0};
    int mount = -1;
    int result = name_to_handle_at(AT_FDCWD, path, &file.handle, &mount, 0);
    say("%d, %u bytes, mount %d\n", result == -1 ? -errno : result, file.handle.handle_bytes, mount);
    if (result == -1 && errno == EOVERFLOW && file.handle.handle_bytes <= MAX_HANDLE_SZ) {
        result = name_to_handle_at(AT_FDCWD, path, &file.handle, &mount, 0);
        say("%d, type %d, mount %d:", result, file.handle.handle_type, mount);
        for (unsigned i = 0; i < file.handle.handle_bytes; i++)
            say(" %02x", file.handle.f_handle[i]);
        say("\n");
    }
    rmdir(path);
}

int main(void)
{
    semaphores();
    handle();
}
