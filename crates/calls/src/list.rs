//! The list: one row for each call. A new call begins here.
//!
//! A row has the name, the number on x86-64, the number on aarch64 (`-`: it has no such call), and
//! what the call is like: see [`crate::call`]. It makes a constant of [`Number`]. A call of kind
//! `special` needs a row in the runtime's `calls/routines.rs` as well, which says what records it
//! and what replays it; without that the runtime does not compile.

use crate::call::{Call, Out, emulate, execute, refuse, special, unknown};
use crate::number::Number;
use crate::size::*;
use Out::*;

/// What is true of one call.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    /// Its numbers on x86-64 and on aarch64; [`ABSENT`] where it does not exist.
    pub numbers: [u32; 2],
    pub call: Call,
}

/// There is no such call.
pub const ABSENT: u32 = u32::MAX;

/// Which of a row's numbers is ours.
pub(crate) const ARCHITECTURE: usize = if cfg!(target_arch = "aarch64") { 1 } else { 0 };

impl Row {
    /// Its number on this architecture.
    pub const fn number(&self) -> Number {
        Number::of_row(self.numbers)
    }
}

/// A number of a row.
macro_rules! column {
    (-) => {
        ABSENT
    };
    ($number:literal) => {
        $number
    };
}

macro_rules! calls {
    ($($name:ident $x86_64:tt $aarch64:tt $call:expr;)*) => {
        /// All calls, in an order for readers.
        pub const LIST: &[Row] = &[$(Row {
            name: {
                const LETTERS: [u8; stringify!($name).len()] = small(stringify!($name));
                text(&LETTERS)
            },
            numbers: [column!($x86_64), column!($aarch64)],
            call: $call,
        }),*];

        impl Number {
            $(pub const $name: Number = Number::of_row([column!($x86_64), column!($aarch64)]);)*
        }
    };
}

/// The letters of a constant as those of the name that it stands for.
const fn small<const N: usize>(name: &str) -> [u8; N] {
    let mut letters = [0; N];
    let mut index = 0;
    while index < N {
        letters[index] = name.as_bytes()[index].to_ascii_lowercase();
        index += 1;
    }
    letters
}

const fn text(letters: &'static [u8]) -> &'static str {
    match core::str::from_utf8(letters) {
        Ok(text) => text,
        Err(_) => "",
    }
}

#[rustfmt::skip]
calls! {
    // Reading and writing.
    READ                        0   63  special([0, 2]).blocks().out(Result(1)).drafts();
    WRITE                       1   64  special([0, 2]).blocks();
    PREAD64                    17   67  emulate([0, 2, 3]).blocks().out(Result(1));
    PWRITE64                   18   68  special([0, 2, 3]).blocks();
    READV                      19   65  special([0, 2]).blocks().out(Vector(1, 2));
    WRITEV                     20   66  special([0, 2]).blocks();
    PREADV                    295   69  emulate([0, 2]).blocks().out(Vector(1, 2));
    PWRITEV                   296   70  special([0, 2]).blocks();
    PREADV2                   327  286  special([0, 2]).blocks().out(Vector(1, 2));
    PWRITEV2                  328  287  special([0, 2]).blocks();
    SENDFILE                   40   71  special([0, 1, 3]).blocks().fixed(2, OFFSET);
    SPLICE                    275   76  special([0, 2, 4, 5]).blocks().fixed(1, OFFSET)
                                             .fixed(3, OFFSET);
    TEE                       276   77  special([0, 1, 2, 3]).blocks();
    VMSPLICE                  278   75  special([0, 2, 3]).blocks();
    COPY_FILE_RANGE           326  285  special([0, 2, 4, 5]).blocks().fixed(1, OFFSET)
                                             .fixed(3, OFFSET);
    IOCTL                      16   29  special([0, 1]).blocks();
    LSEEK                       8   62  emulate([0, 1, 2]);
    // Files.
    OPEN                        2    -  special([1, 2]).path(0).blocks();
    OPENAT                    257   56  special([0, 2, 3]).path(1).blocks();
    OPENAT2                   437  437  special([0]).path(1).blocks();
    CREAT                      85    -  special([1]).path(0).blocks();
    CLOSE                       3   57  special([0]);
    CLOSE_RANGE               436  436  special([0, 1, 2]);
    STAT                        4    -  emulate([]).path(0).fixed(1, STAT);
    FSTAT                       5   80  emulate([0]).fixed(1, STAT);
    LSTAT                       6    -  emulate([]).path(0).fixed(1, STAT);
    NEWFSTATAT                262   79  emulate([0, 3]).path(1).fixed(2, STAT);
    STATX                     332  291  emulate([0, 2, 3]).path(1).fixed(4, STATX);
    ACCESS                     21    -  emulate([1]).path(0);
    FACCESSAT                 269   48  emulate([0, 2]).path(1);
    FACCESSAT2                439  439  emulate([0, 2, 3]).path(1);
    FLOCK                      73   32  emulate([0, 1]).blocks();
    FSYNC                      74   82  emulate([0]).blocks();
    FDATASYNC                  75   83  emulate([0]).blocks();
    TRUNCATE                   76   45  emulate([1]).path(0);
    FTRUNCATE                  77   46  emulate([0, 1]);
    GETDENTS                   78    -  emulate([0, 2]).out(Result(1));
    GETDENTS64                217   61  emulate([0, 2]).out(Result(1));
    GETCWD                     79   17  emulate([1]).out(Result(0));
    CHDIR                      80   49  emulate([]).path(0);
    FCHDIR                     81   50  emulate([0]);
    RENAME                     82    -  emulate([]).path(0).path(1);
    MKDIR                      83    -  emulate([1]).path(0);
    RMDIR                      84    -  emulate([]).path(0);
    LINK                       86    -  emulate([]).path(0).path(1);
    UNLINK                     87    -  emulate([]).path(0);
    SYMLINK                    88    -  emulate([]).path(0).path(1);
    READLINK                   89    -  emulate([2]).path(0).out(Result(1));
    CHMOD                      90    -  emulate([1]).path(0);
    FCHMOD                     91   52  emulate([0, 1]);
    CHOWN                      92    -  emulate([1, 2]).path(0);
    FCHOWN                     93   55  emulate([0, 1, 2]);
    LCHOWN                     94    -  emulate([1, 2]).path(0);
    UMASK                      95  166  emulate([0]);
    UTIME                     132    -  emulate([]).path(0);
    MKNOD                     133    -  emulate([1, 2]).path(0);
    USTAT                     136    -  emulate([0]).fixed(1, USTAT);
    STATFS                    137   43  emulate([]).path(0).fixed(1, STATFS);
    FSTATFS                   138   44  emulate([0]).fixed(1, STATFS);
    SYNC                      162   81  emulate([]).blocks();
    READAHEAD                 187  213  emulate([0]);
    SETXATTR                  188    5  emulate([3, 4]).path(0).path(1);
    LSETXATTR                 189    6  emulate([3, 4]).path(0).path(1);
    FSETXATTR                 190    7  emulate([0, 3, 4]).path(1);
    GETXATTR                  191    8  emulate([3]).path(0).path(1).out(Result(2));
    LGETXATTR                 192    9  emulate([3]).path(0).path(1).out(Result(2));
    FGETXATTR                 193   10  emulate([0, 3]).path(1).out(Result(2));
    LISTXATTR                 194   11  emulate([2]).path(0).out(Result(1));
    LLISTXATTR                195   12  emulate([2]).path(0).out(Result(1));
    FLISTXATTR                196   13  emulate([0, 2]).out(Result(1));
    REMOVEXATTR               197   14  emulate([]).path(0).path(1);
    LREMOVEXATTR              198   15  emulate([]).path(0).path(1);
    FREMOVEXATTR              199   16  emulate([0]).path(1);
    FADVISE64                 221  223  emulate([0]);
    UTIMES                    235    -  emulate([]).path(0);
    MKDIRAT                   258   34  emulate([0, 2]).path(1);
    MKNODAT                   259   33  emulate([0, 2, 3]).path(1);
    FCHOWNAT                  260   54  emulate([0, 2, 3, 4]).path(1);
    FUTIMESAT                 261    -  emulate([0]).path(1);
    UNLINKAT                  263   35  emulate([0, 2]).path(1);
    RENAMEAT                  264   38  emulate([0, 2]).path(1).path(3);
    RENAMEAT2                 316  276  emulate([0, 2, 4]).path(1).path(3);
    LINKAT                    265   37  emulate([0, 2, 4]).path(1).path(3);
    SYMLINKAT                 266   36  emulate([1]).path(0).path(2);
    READLINKAT                267   78  emulate([0, 3]).path(1).out(Result(2));
    FCHMODAT                  268   53  emulate([0, 2]).path(1);
    FCHMODAT2                 452  452  emulate([0, 2, 3]).path(1);
    SYNC_FILE_RANGE           277   84  emulate([0]).blocks();
    UTIMENSAT                 280   88  emulate([0]).path(1);
    FALLOCATE                 285   47  emulate([0, 1, 2, 3]).blocks();
    NAME_TO_HANDLE_AT         303  264  emulate([0]).path(1).out(Handle(2)).fixed(3, INT);
    SYNCFS                    306  267  emulate([0]).blocks();
    MEMFD_CREATE              319  279  emulate([1]).path(0);
    INOTIFY_INIT              253    -  emulate([]);
    INOTIFY_INIT1             294   26  emulate([0]);
    INOTIFY_ADD_WATCH         254   27  emulate([0, 2]).path(1);
    INOTIFY_RM_WATCH          255   28  emulate([0, 1]);
    // Descriptors.
    DUP                        32   23  emulate([0]).moves_descriptors();
    DUP2                       33    -  special([0, 1]).moves_descriptors();
    DUP3                      292   24  special([0, 1, 2]).moves_descriptors();
    FCNTL                      72   25  special([0, 1]).blocks();
    PIPE                       22    -  special([]).fixed(0, PAIR);
    PIPE2                     293   59  special([1]).fixed(0, PAIR);
    // Waiting for descriptors.
    POLL                        7    -  emulate([1, 2]).never_restarts()
                                             .out(ArgumentTimes(0, 1, POLLED));
    PPOLL                     271   73  special([1]).never_restarts()
                                             .out(ArgumentTimes(0, 1, POLLED)).fixed(2, TIMESPEC)
                                             .remaining();
    SELECT                     23    -  emulate([0]).never_restarts().out(DescriptorSets)
                                             .fixed(4, TIMESPEC).remaining();
    PSELECT6                  270   72  special([0]).never_restarts().out(DescriptorSets)
                                             .fixed(4, TIMESPEC).remaining();
    EPOLL_CREATE              213    -  emulate([0]);
    EPOLL_CREATE1             291   20  emulate([0]);
    EPOLL_CTL                 233   21  emulate([0, 1, 2]);
    EPOLL_WAIT                232    -  emulate([0, 2, 3]).never_restarts()
                                             .out(ResultTimes(1, EPOLL_EVENT));
    EPOLL_PWAIT               281   22  special([0, 2, 3]).never_restarts()
                                             .out(ResultTimes(1, EPOLL_EVENT));
    EPOLL_PWAIT2              441  441  special([0, 2]).never_restarts()
                                             .out(ResultTimes(1, EPOLL_EVENT));
    SIGNALFD                  282    -  special([0]);
    SIGNALFD4                 289   74  special([0, 3]);
    TIMERFD_CREATE            283   85  emulate([0, 1]);
    EVENTFD                   284    -  emulate([0]);
    EVENTFD2                  290   19  emulate([0, 1]);
    TIMERFD_SETTIME           286   86  emulate([0, 1]).fixed(3, TIMER);
    TIMERFD_GETTIME           287   87  emulate([0]).fixed(1, TIMER);
    // Sockets.
    SOCKET                     41  198  emulate([0, 1, 2]);
    CONNECT                    42  203  special([0, 2]).blocks();
    ACCEPT                     43  202  special([0]).blocks().out(Sized(1, 2));
    ACCEPT4                   288  242  special([0, 3]).blocks().out(Sized(1, 2));
    SENDTO                     44  206  special([0, 2, 3, 5]).blocks();
    RECVFROM                   45  207  special([0, 2, 3]).blocks().out(Result(1)).out(Sized(4, 5));
    SENDMSG                    46  211  special([0, 2]).blocks();
    RECVMSG                    47  212  special([0, 2]).blocks().out(Message(1));
    RECVMMSG                  299  243  special([0, 2, 3]).never_restarts().out(Messages(1));
    SENDMMSG                  307  269  special([0, 2, 3]).blocks().out(MessageLengths(1));
    SHUTDOWN                   48  210  emulate([0, 1]);
    BIND                       49  200  emulate([0, 2]);
    LISTEN                     50  201  emulate([0, 1]);
    GETSOCKNAME                51  204  special([0]).out(Sized(1, 2));
    GETPEERNAME                52  205  special([0]).out(Sized(1, 2));
    SOCKETPAIR                 53  199  special([0, 1, 2]).fixed(3, PAIR);
    SETSOCKOPT                 54  208  emulate([0, 1, 2, 4]);
    GETSOCKOPT                 55  209  emulate([0, 1, 2]).out(Sized(3, 4));
    // Memory.
    MMAP                        9  222  special([1, 2, 3, 4, 5]);
    MPROTECT                   10  226  execute([1, 2]);
    MUNMAP                     11  215  execute([1]);
    BRK                        12  214  special([]);
    MREMAP                     25  216  special([1, 2, 3]);
    MSYNC                      26  227  emulate([1, 2]).blocks();
    MINCORE                    27  232  emulate([1]).out(Pages(2, 1));
    MADVISE                    28  233  execute([1, 2]);
    MLOCK                     149  228  emulate([1]);
    MUNLOCK                   150  229  emulate([1]);
    MLOCKALL                  151  230  emulate([0]);
    MUNLOCKALL                152  231  emulate([]);
    MLOCK2                    325  284  emulate([1, 2]);
    PKEY_MPROTECT             329  288  execute([1, 2, 3]);
    PKEY_ALLOC                330  289  execute([0, 1]);
    PKEY_FREE                 331  290  execute([0]);
    MEMBARRIER                324  283  execute([0, 1]);
    MBIND                     237  235  emulate([1]);
    SET_MEMPOLICY             238  237  emulate([0]);
    GET_MEMPOLICY             239  236  emulate([2, 4]).fixed(0, INT).out(Bits(1, 2));
    SHMGET                     29  194  special([0, 1, 2]);
    SHMAT                      30  196  special([0, 2]);
    SHMCTL                     31  195  emulate([0, 1]).fixed(2, SHARED_MEMORY);
    SHMDT                      67  197  special([]);
    SEMGET                     64  190  emulate([0, 1, 2]);
    SEMOP                      65  193  emulate([0, 2]).never_restarts();
    SEMTIMEDOP                220  192  emulate([0, 2]).never_restarts();
    SEMCTL                     66  191  special([0, 1, 2]);
    MSGGET                     68  186  emulate([0, 1]);
    MSGSND                     69  189  emulate([0, 2, 3]).never_restarts();
    MSGRCV                     70  188  emulate([0, 2, 4]).never_restarts().out(ResultAndType(1));
    MSGCTL                     71  187  emulate([0, 1]).fixed(2, MESSAGE_QUEUE);
    // Signals.
    RT_SIGACTION               13  134  special([0, 3]);
    RT_SIGPROCMASK             14  135  special([0, 3]).out(Argument(2, 3));
    RT_SIGRETURN               15  139  special([]);
    PAUSE                      34    -  emulate([]).never_restarts();
    GETITIMER                  36  102  emulate([0]).fixed(1, TIMER);
    ALARM                      37    -  emulate([0]);
    SETITIMER                  38  103  emulate([0]).fixed(2, TIMER);
    KILL                       62  129  emulate([0, 1]);
    TKILL                     200  130  emulate([0, 1]);
    TGKILL                    234  131  emulate([0, 1, 2]);
    RT_SIGPENDING             127  136  emulate([1]).out(Argument(0, 1));
    RT_SIGTIMEDWAIT           128  137  special([3]).never_restarts().fixed(1, SIGINFO);
    RT_SIGQUEUEINFO           129  138  emulate([0, 1]);
    RT_TGSIGQUEUEINFO         297  240  emulate([0, 1, 2]);
    RT_SIGSUSPEND             130  133  special([1]).never_restarts();
    SIGALTSTACK               131  132  special([]).fixed(1, SIGNAL_STACK);
    TIMER_CREATE              222  107  emulate([0]).fixed(2, INT);
    TIMER_SETTIME             223  110  emulate([0, 1]).fixed(3, TIMER);
    TIMER_GETTIME             224  108  emulate([0]).fixed(1, TIMER);
    TIMER_GETOVERRUN          225  109  emulate([0]);
    TIMER_DELETE              226  111  emulate([0]);
    PIDFD_SEND_SIGNAL         424  424  emulate([0, 1]);
    // Time.
    SCHED_YIELD                24  124  emulate([]).blocks();
    NANOSLEEP                  35  101  emulate([]).never_restarts().fixed(1, TIMESPEC).remaining();
    CLOCK_NANOSLEEP           230  115  emulate([0, 1]).never_restarts().fixed(3, TIMESPEC)
                                             .remaining();
    GETTIMEOFDAY               96  169  emulate([]).fixed(0, TIMESPEC).fixed(1, TIMEZONE);
    TIME                      201    -  emulate([]).fixed(0, LONG);
    CLOCK_SETTIME             227  112  emulate([0]);
    CLOCK_GETTIME             228  113  emulate([0]).fixed(1, TIMESPEC);
    CLOCK_GETRES              229  114  emulate([0]).fixed(1, TIMESPEC);
    TIMES                     100  153  emulate([]).fixed(0, TIMES);
    ADJTIMEX                  159  171  emulate([]).fixed(0, TIMEX);
    CLOCK_ADJTIME             305  266  emulate([0]).fixed(1, TIMEX);
    SETTIMEOFDAY              164  170  emulate([]);
    // Who and where.
    GETPID                     39  172  emulate([]);
    GETUID                    102  174  emulate([]);
    GETGID                    104  176  emulate([]);
    SETUID                    105  146  emulate([0]);
    SETGID                    106  144  emulate([0]);
    GETEUID                   107  175  emulate([]);
    GETEGID                   108  177  emulate([]);
    SETPGID                   109  154  emulate([0, 1]);
    GETPPID                   110  173  emulate([]);
    GETPGRP                   111    -  emulate([]);
    SETSID                    112  157  emulate([]);
    SETREUID                  113  145  emulate([0, 1]);
    SETREGID                  114  143  emulate([0, 1]);
    GETGROUPS                 115  158  emulate([0]).out(ResultTimes(1, INT));
    SETGROUPS                 116  159  emulate([0]);
    SETRESUID                 117  147  emulate([0, 1, 2]);
    GETRESUID                 118  148  emulate([]).fixed(0, INT).fixed(1, INT).fixed(2, INT);
    SETRESGID                 119  149  emulate([0, 1, 2]);
    GETRESGID                 120  150  emulate([]).fixed(0, INT).fixed(1, INT).fixed(2, INT);
    GETPGID                   121  155  emulate([0]);
    SETFSUID                  122  151  emulate([0]);
    SETFSGID                  123  152  emulate([0]);
    GETSID                    124  156  emulate([0]);
    CAPGET                    125   90  emulate([]).fixed(0, CAPABILITY_HEAD)
                                             .fixed(1, CAPABILITIES);
    CAPSET                    126   91  emulate([]);
    PERSONALITY               135   92  emulate([0]);
    UNAME                      63  160  emulate([]).fixed(0, UTSNAME);
    GETRLIMIT                  97  163  emulate([0]).fixed(1, LIMITS);
    GETRUSAGE                  98  165  emulate([0]).fixed(1, USAGE);
    SYSINFO                    99  179  emulate([]).fixed(0, SYSINFO);
    SYSLOG                    103  116  emulate([0, 2]).out(Result(1));
    SYSFS                     139    -  emulate([0, 1]);
    GETPRIORITY               140  141  emulate([0, 1]);
    SETPRIORITY               141  140  emulate([0, 1, 2]);
    SCHED_SETPARAM            142  118  emulate([0]);
    SCHED_GETPARAM            143  121  emulate([0]).fixed(1, INT);
    SCHED_SETSCHEDULER        144  119  emulate([0, 1]);
    SCHED_GETSCHEDULER        145  120  emulate([0]);
    SCHED_GET_PRIORITY_MAX    146  125  emulate([0]);
    SCHED_GET_PRIORITY_MIN    147  126  emulate([0]);
    SCHED_RR_GET_INTERVAL     148  127  emulate([0]).fixed(1, TIMESPEC);
    SETRLIMIT                 160  164  special([0]);
    CHROOT                    161   51  emulate([]).path(0);
    MOUNT                     165   40  emulate([]);
    UMOUNT2                   166   39  emulate([]).path(0);
    SETHOSTNAME               170  161  emulate([]);
    SETDOMAINNAME             171  162  emulate([]);
    GETTID                    186  178  emulate([]);
    SCHED_SETAFFINITY         203  122  emulate([0, 1]);
    SCHED_GETAFFINITY         204  123  emulate([0, 1]).out(Result(2));
    IOPRIO_SET                251   30  emulate([0, 1, 2]);
    IOPRIO_GET                252   31  emulate([0, 1]);
    UNSHARE                   272   97  emulate([0]);
    PRLIMIT64                 302  261  special([0, 1]).fixed(3, LIMITS);
    SETNS                     308  268  emulate([0, 1]);
    GETCPU                    309  168  emulate([]).fixed(0, INT).fixed(1, INT);
    KCMP                      312  272  emulate([0, 1, 2]);
    SCHED_SETATTR             314  274  emulate([0]);
    SCHED_GETATTR             315  275  emulate([0, 2]).out(Argument(1, 2));
    GETRANDOM                 318  278  emulate([1, 2]).blocks().out(Result(0));
    ADD_KEY                   248  217  emulate([]);
    REQUEST_KEY               249  218  emulate([]);
    KEYCTL                    250  219  emulate([0, 1]);
    MQ_OPEN                   240  180  emulate([1]).path(0);
    MQ_UNLINK                 241  181  emulate([]).path(0);
    MQ_TIMEDSEND              242  182  emulate([0, 2, 3]).blocks();
    MQ_TIMEDRECEIVE           243  183  emulate([0, 2]).blocks().out(Result(1)).fixed(3, INT);
    MQ_NOTIFY                 244  184  emulate([0]);
    MQ_GETSETATTR             245  185  emulate([0]).fixed(2, QUEUE_ATTRIBUTES);
    PIDFD_OPEN                434  434  emulate([0, 1]);
    PROCESS_MADVISE           440  440  emulate([0]);
    CACHESTAT                 451  451  emulate([0]).fixed(2, CACHE_STATISTICS);
    // Processes and threads.
    CLONE                      56  220  special([]);
    FORK                       57    -  special([]);
    VFORK                      58    -  special([]);
    CLONE3                    435  435  special([1]);
    EXECVE                     59  221  special([]).path(0);
    EXECVEAT                  322  281  special([0]).path(1);
    EXIT                       60   93  special([0]);
    EXIT_GROUP                231   94  special([0]);
    WAIT4                      61  260  special([0, 2]).blocks().fixed(1, INT).fixed(3, USAGE);
    WAITID                    247   95  special([0, 1, 3]).blocks().fixed(2, SIGINFO)
                                             .fixed(4, USAGE);
    PTRACE                    101  117  emulate([0, 1]);
    PRCTL                     157  167  special([0]);
    ARCH_PRCTL                158    -  special([0]);
    FUTEX                     202   98  special([1, 2]).blocks();
    FUTEX_WAITV               449  449  emulate([1, 2]).never_restarts();
    SET_TID_ADDRESS           218   96  special([]);
    RESTART_SYSCALL           219  128  emulate([]).blocks();
    SET_ROBUST_LIST           273   99  special([]);
    GET_ROBUST_LIST           274  100  emulate([0]).fixed(1, LONG).fixed(2, LONG);
    SECCOMP                   317  277  special([0, 1]);
    RSEQ                      334  293  refuse();
    PROCESS_VM_READV          310  270  emulate([0]).out(Vector(1, 2));
    PROCESS_VM_WRITEV         311  271  emulate([0]);
    PIDFD_GETFD               438  438  emulate([0, 1, 2]);
    PERF_EVENT_OPEN           298  241  emulate([1, 2, 3, 4]);
    BPF                       321  280  emulate([0]);
    // What goes on behind our back.
    IO_SETUP                  206    0  refuse();
    IO_DESTROY                207    1  refuse();
    IO_GETEVENTS              208    4  refuse();
    IO_SUBMIT                 209    2  refuse();
    IO_CANCEL                 210    3  refuse();
    IO_PGETEVENTS             333  292  refuse();
    USERFAULTFD               323  282  refuse();
    IO_URING_SETUP            425  425  refuse();
    IO_URING_ENTER            426  426  refuse();
    IO_URING_REGISTER         427  427  refuse();
    // Unknown by decision: rare, of the administrator, or gone from the kernel.
    USELIB                    134    -  unknown();
    VHANGUP                   153   58  unknown();
    MODIFY_LDT                154    -  unknown();
    PIVOT_ROOT                155   41  unknown();
    _SYSCTL                   156    -  unknown();
    ACCT                      163   89  unknown();
    SWAPON                    167  224  unknown();
    SWAPOFF                   168  225  unknown();
    REBOOT                    169  142  unknown();
    IOPL                      172    -  unknown();
    IOPERM                    173    -  unknown();
    CREATE_MODULE             174    -  unknown();
    INIT_MODULE               175  105  unknown();
    DELETE_MODULE             176  106  unknown();
    GET_KERNEL_SYMS           177    -  unknown();
    QUERY_MODULE              178    -  unknown();
    QUOTACTL                  179   60  unknown();
    NFSSERVCTL                180   42  unknown();
    GETPMSG                   181    -  unknown();
    PUTPMSG                   182    -  unknown();
    AFS_SYSCALL               183    -  unknown();
    TUXCALL                   184    -  unknown();
    SECURITY                  185    -  unknown();
    SET_THREAD_AREA           205    -  unknown();
    GET_THREAD_AREA           211    -  unknown();
    LOOKUP_DCOOKIE            212   18  unknown();
    EPOLL_CTL_OLD             214    -  unknown();
    EPOLL_WAIT_OLD            215    -  unknown();
    REMAP_FILE_PAGES          216  234  unknown();
    VSERVER                   236    -  unknown();
    KEXEC_LOAD                246  104  unknown();
    MIGRATE_PAGES             256  238  unknown();
    MOVE_PAGES                279  239  unknown();
    FANOTIFY_INIT             300  262  unknown();
    FANOTIFY_MARK             301  263  unknown();
    OPEN_BY_HANDLE_AT         304  265  unknown();
    FINIT_MODULE              313  273  unknown();
    KEXEC_FILE_LOAD           320  294  unknown();
    URETPROBE                 335    -  unknown();
    UPROBE                    336    -  unknown();
    OPEN_TREE                 428  428  unknown();
    MOVE_MOUNT                429  429  unknown();
    FSOPEN                    430  430  unknown();
    FSCONFIG                  431  431  unknown();
    FSMOUNT                   432  432  unknown();
    FSPICK                    433  433  unknown();
    MOUNT_SETATTR             442  442  unknown();
    QUOTACTL_FD               443  443  unknown();
    LANDLOCK_CREATE_RULESET   444  444  unknown();
    LANDLOCK_ADD_RULE         445  445  unknown();
    LANDLOCK_RESTRICT_SELF    446  446  unknown();
    MEMFD_SECRET              447  447  unknown();
    PROCESS_MRELEASE          448  448  unknown();
    SET_MEMPOLICY_HOME_NODE   450  450  unknown();
    MAP_SHADOW_STACK          453  453  unknown();
    FUTEX_WAKE                454  454  unknown();
    FUTEX_WAIT                455  455  unknown();
    FUTEX_REQUEUE             456  456  unknown();
    STATMOUNT                 457  457  unknown();
    LISTMOUNT                 458  458  unknown();
    LSM_GET_SELF_ATTR         459  459  unknown();
    LSM_SET_SELF_ATTR         460  460  unknown();
    LSM_LIST_MODULES          461  461  unknown();
    MSEAL                     462  462  unknown();
    SETXATTRAT                463  463  unknown();
    GETXATTRAT                464  464  unknown();
    LISTXATTRAT               465  465  unknown();
    REMOVEXATTRAT             466  466  unknown();
    OPEN_TREE_ATTR            467  467  unknown();
    FILE_GETATTR              468  468  unknown();
    FILE_SETATTR              469  469  unknown();
}
