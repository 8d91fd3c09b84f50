//! What happens when a signal arrives.

/// Changes what some signals do.
///
/// At the start of a session: SIGALRM, SIGURG, SIGIO, SIGVTALRM, SIGPROF, SIGCHLD, SIGWINCH and the real-time signals
/// that libc uses pass silently; SIGINT and SIGTRAP stop and are not passed; all others stop and pass.
pub type SetSignalsRequest = Vec<SignalDisposition>;

/// What one signal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalDisposition {
    /// Its number.
    pub signal: i32,
    /// It stops the thread.
    pub stop: bool,
    /// An event tells of it even if it does not stop.
    pub print: bool,
    /// The program gets it.
    pub pass: bool,
}
