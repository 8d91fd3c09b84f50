// Phenomenon: functions of libc with a state of their own behind locks of their own: time zones, names of users, hosts and
// services, character sets, locales, the system's log, named semaphores.
// Nondeterministic: who uses them first, and in what order.
#include "team.h"
#include <fcntl.h>
#include <iconv.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <semaphore.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

enum { KINDS = 6, MOST_TEXT = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct history done;

static void tell_time(long number)
{
    time_t when = number * 100000;
    struct tm parts;
    char text[100];
    if (localtime_r(&when, &parts) == NULL || strftime(text, sizeof text, "%c %Z", &parts) == 0)
        _exit(97);
    if (mktime(&parts) != when || localtime(&when) == NULL)
        _exit(97);
}

static void ask_for_names(long number)
{
    char text[MOST_TEXT];
    struct passwd entry, *found;
    OK(getpwnam_r("nobody", &entry, text, sizeof text, &found));
    struct servent service, *offered;
    getservbyname_r("http", "tcp", &service, text, sizeof text, &offered);
    struct addrinfo *addresses;
    if (getaddrinfo(number % 2 ? "localhost" : "127.0.0.1", "80", NULL, &addresses) == 0)
        freeaddrinfo(addresses);
}

static void convert(long number)
{
    iconv_t conversion = iconv_open("UTF-16", number % 3 ? "ISO-8859-2" : "ISO-8859-5");
    if (conversion != (iconv_t)-1)
        iconv_close(conversion);
}

static void use_locale(long number)
{
    locale_t locale = newlocale(LC_ALL_MASK, number % 2 ? "C.UTF-8" : "C", (locale_t)0);
    if (locale != (locale_t)0)
        freelocale(locale);
    if (setlocale(LC_ALL, NULL) == NULL)
        _exit(97);
}

static void open_semaphore(long number)
{
    char name[40];
    snprintf(name, sizeof name, "/wayfarer.%d.%ld", getpid(), number % 3);
    sem_t *semaphore = sem_open(name, O_CREAT, 0600, 1);
    if (semaphore == SEM_FAILED)
        _exit(97);
    MUST(sem_close(semaphore));
    sem_unlink(name);
}

static void use(long kind, long number)
{
    switch (kind) {
    case 0: tell_time(number); break;
    case 1: ask_for_names(number); break;
    case 2: convert(number); break;
    case 3: use_locale(number); break;
    case 4: syslog(LOG_DEBUG, "%ld", number); break;
    default: open_semaphore(number);
    }
}

static void *run(void *number)
{
    long who = (long)number;
    for (long i = 0; i < rounds() / 10 + KINDS; i++) {
        use((who + i) % KINDS, who + i);
        OK(pthread_mutex_lock(&mutex));
        add(&done, (int)who);
        OK(pthread_mutex_unlock(&mutex));
        free(malloc(100));
    }
    return NULL;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    run_team(run);
    show("done", &done);
}
