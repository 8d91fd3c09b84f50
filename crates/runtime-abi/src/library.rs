//! The functions of libc that use a state of its own behind locks of its own.

/// Calls `$then!` with the names of all functions that come one at a time in a parallel process
/// (`hooks/library.rs` of the runtime). Functions with a `va_list` stand for those with further arguments.
#[macro_export]
macro_rules! library_functions {
    ($then:ident) => {
        $then! {
            // Time zones.
            localtime localtime_r gmtime gmtime_r mktime timelocal timegm ctime ctime_r strftime strftime_l
            wcsftime wcsftime_l strptime strptime_l tzset getdate getdate_r
            // The environment.
            setenv putenv unsetenv clearenv
            // Locales, their messages and character sets.
            setlocale newlocale duplocale freelocale localeconv iconv_open iconv_close
            gettext dgettext dcgettext ngettext dngettext dcngettext
            textdomain bindtextdomain bind_textdomain_codeset
            // Names of hosts, users and services.
            getaddrinfo getnameinfo gethostbyname gethostbyname2 gethostbyaddr
            gethostbyname_r gethostbyname2_r gethostbyaddr_r gethostent sethostent endhostent
            getnetbyname getnetbyaddr getnetbyname_r getnetbyaddr_r
            getpwnam getpwuid getpwnam_r getpwuid_r getpwent getpwent_r setpwent endpwent
            getgrnam getgrgid getgrnam_r getgrgid_r getgrent getgrent_r setgrent endgrent
            getgrouplist initgroups getspnam getspnam_r
            getservbyname getservbyport getservbyname_r getservbyport_r getservent setservent endservent
            getprotobyname getprotobynumber getprotobyname_r getprotobynumber_r
            getprotoent setprotoent endprotoent getlogin getlogin_r
            getrpcbyname getrpcbynumber innetgr setnetgrent endnetgrent
            __res_init __res_ninit
            // The system's log.
            vsyslog __vsyslog_chk openlog closelog setlogmask
            // The list of open streams, and of processes behind streams.
            fopen fopen64 freopen freopen64 fdopen open_memstream fopencookie tmpfile tmpfile64
            popen pclose system fcloseall
            // What is done at the end.
            __cxa_atexit on_exit
            // Loaded libraries.
            dl_iterate_phdr dladdr dladdr1 dlinfo dlsym dlvsym
            // Named semaphores.
            sem_open sem_close sem_unlink
        }
    };
}
