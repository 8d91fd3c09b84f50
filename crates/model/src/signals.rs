//! Names of the signals.

/// Signals 1 to 31.
#[rustfmt::skip]
const NAMES: [&str; 31] = [
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
    "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
    "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
    "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
];

/// First and last real-time signal as the kernel counts them.
const REAL_TIME: std::ops::RangeInclusive<i32> = 32..=64;

/// The name of signal `number`; real-time signals are all `SIGRT`.
pub fn name(number: i32) -> Option<&'static str> {
    if REAL_TIME.contains(&number) {
        return Some("SIGRT");
    }
    NAMES
        .get(usize::try_from(number.checked_sub(1)?).ok()?)
        .copied()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn anchors() {
        assert_eq!(name(1), Some("SIGHUP"));
        assert_eq!(name(9), Some("SIGKILL"));
        assert_eq!(name(17), Some("SIGCHLD"));
        assert_eq!(name(31), Some("SIGSYS"));
        assert_eq!(name(40), Some("SIGRT"));
        assert_eq!(name(0), None);
        assert_eq!(name(i32::MIN), None);
    }
}
