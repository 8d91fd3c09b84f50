//! Bytes of the structures that calls write.

pub const INT: u16 = 4;
pub const LONG: u16 = 8;
/// An offset in a file.
pub const OFFSET: u16 = 8;
/// Two descriptors.
pub const PAIR: u16 = 8;
/// `struct pollfd`
pub const POLLED: u16 = 8;
/// `struct epoll_event`, which is packed on x86-64 only.
pub const EPOLL_EVENT: u16 = if cfg!(target_arch = "x86_64") { 12 } else { 16 };
/// `struct stat`, whose fields differ from machine to machine.
pub const STAT: u16 = if cfg!(target_arch = "x86_64") {
    144
} else {
    128
};
/// `struct statx`
pub const STATX: u16 = 256;
/// `struct statfs`
pub const STATFS: u16 = 120;
/// `struct ustat`
pub const USTAT: u16 = 32;
/// `struct timespec` and `struct timeval`
pub const TIMESPEC: u16 = 16;
/// `struct itimerspec` and `struct itimerval`
pub const TIMER: u16 = 32;
/// `struct timezone`
pub const TIMEZONE: u16 = 8;
/// `struct tms`
pub const TIMES: u16 = 32;
/// `struct timex`
pub const TIMEX: u16 = 208;
/// `struct sigaction` of the kernel
pub const SIGNAL_ACTION: u16 = 32;
/// `stack_t`
pub const SIGNAL_STACK: u16 = 24;
/// `siginfo_t`
pub const SIGINFO: u16 = 128;
/// A set of signals.
pub const SIGNAL_SET: u16 = 8;
/// `struct rusage`
pub const USAGE: u16 = 144;
/// `struct rlimit64`
pub const LIMITS: u16 = 16;
/// `struct new_utsname`
pub const UTSNAME: u16 = 390;
/// `struct sysinfo`
pub const SYSINFO: u16 = 112;
/// `cap_user_header_t`
pub const CAPABILITY_HEAD: u16 = 8;
/// The two halves of `cap_user_data_t`.
pub const CAPABILITIES: u16 = 24;
/// `struct shmid64_ds`
pub const SHARED_MEMORY: u16 = 112;
/// `struct msqid64_ds`
pub const MESSAGE_QUEUE: u16 = 120;
/// `struct semid64_ds`
pub const SEMAPHORES: u16 = 104;
/// `struct seminfo`
pub const SEMAPHORE_LIMITS: u16 = 40;
/// `struct mq_attr`
pub const QUEUE_ATTRIBUTES: u16 = 64;
/// `struct cachestat`
pub const CACHE_STATISTICS: u16 = 40;
/// `struct flock`
pub const LOCK: u16 = 32;
/// `struct f_owner_ex`
pub const OWNER: u16 = 8;
/// `struct termios` of the kernel
pub const TERMINAL: u16 = 36;
/// `struct winsize`
pub const WINDOW: u16 = 8;
/// `struct ifreq`
pub const INTERFACE: u16 = 40;
/// `struct ifconf`
pub const INTERFACES: u16 = 16;
