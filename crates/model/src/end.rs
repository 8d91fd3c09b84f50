//! How a process ended.

use std::fmt;

use crate::signals;

/// A wait status as `wait4` stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WaitStatus(pub i32);

impl WaitStatus {
    /// The status of a process that exited with `code`; as in the kernel only its low byte counts.
    pub const fn exited(code: i32) -> Self {
        Self((code & 0xff) << 8)
    }

    /// The status of a process that `signal` killed.
    pub const fn killed(signal: i32) -> Self {
        Self(signal & 0x7f)
    }

    /// The end that this status tells of; `None` when it tells of a stop or a continuation.
    pub const fn end(self) -> Option<ProcessEnd> {
        match self.0 & 0x7f {
            0 => Some(ProcessEnd::Exited((self.0 >> 8) & 0xff)),
            0x7f => None,
            signal => Some(ProcessEnd::Killed(signal)),
        }
    }

    /// A core file was written, or would have been.
    pub const fn dumped_core(self) -> bool {
        matches!(self.end(), Some(ProcessEnd::Killed(_))) && self.0 & 0x80 != 0
    }

    /// What a shell shows: the exit code, or 128 + signal.
    pub const fn shell_status(self) -> Option<i32> {
        match self.end() {
            Some(end) => end.shell_status(),
            None => None,
        }
    }
}

/// How the recording of a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcessEnd {
    /// It exited with this code (0 to 255).
    Exited(i32),
    /// This signal killed it.
    Killed(i32),
    /// The trace stops before its end.
    Cut,
    /// It became a program that cannot be followed, and how that ended was not seen.
    Opaque,
}

impl ProcessEnd {
    /// What a shell shows: the exit code, or 128 + signal. `None` when the end is not known.
    pub const fn shell_status(self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(code),
            Self::Killed(signal) => Some(128 + signal),
            Self::Cut | Self::Opaque => None,
        }
    }

    /// As `wait4` would report it. `None` when the end is not known.
    pub const fn wait_status(self) -> Option<WaitStatus> {
        match self {
            Self::Exited(code) => Some(WaitStatus::exited(code)),
            Self::Killed(signal) => Some(WaitStatus::killed(signal)),
            Self::Cut | Self::Opaque => None,
        }
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(formatter, "exited {code}"),
            Self::Killed(signal) => match signals::name(*signal) {
                Some(name) => write!(formatter, "killed by {name}"),
                None => write!(formatter, "killed by signal {signal}"),
            },
            Self::Cut => write!(formatter, "cut: the trace ends before it did"),
            Self::Opaque => write!(formatter, "went on as a program that is not followed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_statuses_decode_as_in_the_kernel() {
        assert_eq!(WaitStatus(0).end(), Some(ProcessEnd::Exited(0)));
        assert_eq!(WaitStatus(0x0300).end(), Some(ProcessEnd::Exited(3)));
        assert_eq!(WaitStatus(9).end(), Some(ProcessEnd::Killed(9)));
        assert_eq!(WaitStatus(0x8b).end(), Some(ProcessEnd::Killed(11)));
        assert!(WaitStatus(0x8b).dumped_core());
        // Stopped by SIGSTOP, and continued.
        assert_eq!(WaitStatus(0x137f).end(), None);
        assert_eq!(WaitStatus(0xffff).end(), None);
    }

    #[test]
    fn shells_add_128_to_a_signal() {
        assert_eq!(WaitStatus(15).shell_status(), Some(143));
        assert_eq!(WaitStatus::exited(256 + 7).shell_status(), Some(7));
        assert_eq!(ProcessEnd::Cut.shell_status(), None);
    }
}
