//! What can go wrong, each with its own words.

use std::io;

use wayfarer_backend::{Failure, FailureKind};

/// The usual result.
pub type Result<T, E = DebuggerError> = std::result::Result<T, E>;

/// A request that could not be carried out. The message says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum DebuggerError {
    #[error("The program is not being run.")]
    NoProcess,
    #[error("Only a recorded run has positions: wayfarer record, then wayfarer replay.")]
    NotRecorded,
    #[error(
        "\"{0}\" is not a position: start, or a process and the number of its events, as in server.2@1204; `when` shows one."
    )]
    NoPlace(String),
    #[error("{0} was not reached: the run ends, or differs from its recording, before it.")]
    NotReached(String),
    #[error("Quit.")]
    Interrupted,
    #[error("Process {0} is running: halt it first.")]
    Running(String),
    #[error("Process {0} is gone: {1}.")]
    Gone(String, String),
    #[error("No such process or thread: \"{0}\".")]
    UnknownTarget(String),
    #[error("Set \"{0}\" has no process or thread in it.")]
    EmptySet(String),
    #[error("Set \"{text}\" can't be read at character {at}: {why}.")]
    SetSyntax {
        text: String,
        at: usize,
        why: String,
    },
    #[error("Location \"{0}\" can't be read: {1}.")]
    LocationSyntax(String, String),
    #[error("Function \"{name}\" not defined.{}", nearest(.similar))]
    UnknownFunction { name: String, similar: Vec<String> },
    #[error("No symbol \"{name}\" in current context.{}", nearest(.similar))]
    UnknownName { name: String, similar: Vec<String> },
    #[error("No source file named {name}.{}", nearest(.similar))]
    UnknownFile { name: String, similar: Vec<String> },
    #[error("No code at line {line} of file \"{file}\".")]
    NoCodeAtLine { file: String, line: u32 },
    #[error("No debug information in {0}: compile with -g, or install its separate debug file.")]
    NoDebugInfo(String),
    #[error("Debug information of {0} is damaged: {1}.")]
    BadDebugInfo(String, String),
    #[error("No frame selected.")]
    NoFrame,
    #[error("Initial frame selected; you cannot go down.")]
    Innermost,
    #[error("Initial frame selected; you cannot go up.")]
    Outermost,
    #[error("No frame at level {0}.")]
    NoSuchFrame(u32),
    #[error("\"finish\" not meaningful in the outermost frame.")]
    FinishOutermost,
    #[error("No breakpoint number {0}.")]
    NoSuchBreakpoint(u32),
    #[error("No breakpoint at {0}.")]
    NothingAt(String),
    #[error("No display number {0}.")]
    NoSuchDisplay(u32),
    #[error("{0}")]
    Expression(String),
    #[error("The program has run on since this value was shown.")]
    StaleValue,
    #[error("Cannot access memory at address {0:#x}")]
    Memory(u64),
    #[error("Permission denied: {0}")]
    Permission(String),
    #[error("{0}")]
    Launch(String),
    #[error("Could not set {0}")]
    Placement(String),
    #[error("Invalid signal \"{0}\": a name such as SIGUSR1 or a number is needed.")]
    UnknownSignal(String),
    #[error("Unknown system call \"{0}\".")]
    UnknownSyscall(String),
    #[error("Invalid regular expression: {0}")]
    Regex(String),
    #[error("No setting \"{0}\".")]
    UnknownSetting(String),
    #[error("Setting \"{name}\" takes {expected}, not \"{value}\".")]
    SettingValue {
        name: String,
        value: String,
        expected: String,
    },
    #[error(
        "The program being debugged {1} while in a function called from Wayfarer.\nWayfarer has restored the context \
to what it was before the call.\nEvaluation of the expression containing the function\n({0}) will be abandoned."
    )]
    CallInterrupted(String, String),
    #[error(
        "The program being debugged stopped while in a function called from Wayfarer.\nEvaluation of the expression \
containing the function\n({0}) will be abandoned.\nWhen the function is done executing, Wayfarer will stop."
    )]
    CallStopped(String),
    #[error(
        "The program being debugged was signaled while in a function called from Wayfarer.\nWayfarer remains in the \
frame where the signal was received.\nTo change this behavior use \"set unwindonsignal on\".\nEvaluation of the \
expression containing the function\n({0}) will be abandoned.\nWhen the function is done executing, Wayfarer will stop."
    )]
    CallSignaled(String),
    #[error(
        "The program being debugged was signaled while in a function called from Wayfarer.\nWayfarer has restored the \
context to what it was before the call.\nTo change this behavior use \"set unwindonsignal off\".\nEvaluation of the \
expression containing the function\n({0}) will be abandoned."
    )]
    CallUndone(String),
    #[error(
        "The function called from Wayfarer threw an exception that nobody catches, and came to std::terminate.\nWayfarer \
has restored the context to what it was before the call, or the program would have ended.\nTo change this behavior use \
\"set unwind-on-terminating-exception off\".\nEvaluation of the expression containing the function\n({0}) will be \
abandoned."
    )]
    CallThrew(String),
    #[error(
        "The program being debugged did not return in time from a function called from Wayfarer.\nWayfarer has restored \
the context to what it was before the call.\nTo give it more time use \"set direct-call-timeout\".\nEvaluation of the \
expression containing the function\n({0}) will be abandoned."
    )]
    CallTimedOut(String),
    #[error(
        "The program being debugged exited while in a function called from Wayfarer.\nEvaluation of the expression \
containing the function\n({0}) will be abandoned."
    )]
    CallEnded(String),
    #[error("Not in a replay: {0}.")]
    Recorded(&'static str),
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error("{0}")]
    Usage(String),
    #[error("The agent did not start: {0}")]
    AgentStart(String),
    #[error("The agent has gone: {0}")]
    AgentLost(String),
    #[error(
        "The agent speaks version {theirs} of the protocol, this debugger {ours}: use the same build of both."
    )]
    Version { ours: u32, theirs: u32 },
    /// The agent refused one request.
    #[error("{0}")]
    Agent(String),
}

impl From<Failure> for DebuggerError {
    fn from(failure: Failure) -> DebuggerError {
        match failure.kind {
            FailureKind::Permission | FailureKind::AlreadyTraced => {
                DebuggerError::Permission(failure.message)
            }
            FailureKind::Launch => DebuggerError::Launch(failure.message),
            FailureKind::Lost => DebuggerError::AgentLost(failure.message),
            _ => DebuggerError::Agent(failure.message),
        }
    }
}

fn nearest(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        [one] => format!(" Did you mean {one}?"),
        many => format!(" Near to it: {}.", many.join(", ")),
    }
}
