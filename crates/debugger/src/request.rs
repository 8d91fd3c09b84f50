//! What a front end asks for, as plain data.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::{AgentId, Location, Set, ThreadId};

/// Where the agent comes from.
#[derive(Clone, Debug)]
pub enum AgentStart {
    /// `current_exe() agent --socket PATH`, in a private directory.
    ThisProgram,
    /// This program and its leading arguments, then `--socket PATH`.
    Program(Vec<OsString>),
    /// It listens there already.
    Socket(PathBuf),
}

/// How a debugger behaves.
#[derive(Clone, Debug)]
pub struct Options {
    pub agent: AgentStart,
    /// How long the agent may take to listen.
    pub start_timeout: Duration,
    /// Files with `type = function` lines; missing ones are passed over.
    pub printer_files: Vec<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            agent: AgentStart::ThisProgram,
            start_timeout: Duration::from_secs(10),
            printer_files: default_printer_files(),
        }
    }
}

/// `~/.config/wayfarer/printers` and `./.wayfarer-printers`.
fn default_printer_files() -> Vec<PathBuf> {
    let home = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")));
    home.map(|config| config.join("wayfarer/printers"))
        .into_iter()
        .chain([PathBuf::from(".wayfarer-printers")])
        .collect()
}

/// A program to start.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Program (searched in PATH when it has no slash) and arguments.
    pub argv: Vec<OsString>,
    /// Set on top of our own environment.
    pub env: Vec<(OsString, OsString)>,
    /// Taken out of it.
    pub unset: Vec<OsString>,
    /// Working directory; ours when none.
    pub cwd: Option<PathBuf>,
    /// Leave address randomisation on (gdb's `set disable-randomization off`).
    pub randomize: bool,
    /// Who starts it; none: the first that can.
    pub agent: Option<AgentId>,
}

/// A trace to replay.
#[derive(Clone, Debug, Default)]
pub struct OpenTrace {
    pub directory: PathBuf,
    /// The good part of a damaged trace is better than nothing.
    pub accept_damage: bool,
}

/// A frame of a thread: what most requests are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct StackFrame {
    pub thread: ThreadId,
    /// 0 is the innermost.
    pub level: u32,
}

impl StackFrame {
    /// Where a thread stands.
    pub fn innermost(thread: ThreadId) -> StackFrame {
        StackFrame { thread, level: 0 }
    }
}

/// How many times: steps, ignored hits.
pub type Count = u64;

/// A way to run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// Until something stops it. `ignore`: gdb's `continue N` passes the breakpoint it stands at N-1 more times.
    Continue {
        ignore: Count,
    },
    /// To another line, into functions that have lines.
    Step {
        count: Count,
    },
    /// To another line of this function or its caller.
    Next {
        count: Count,
    },
    StepInstruction {
        count: Count,
    },
    NextInstruction {
        count: Count,
    },
    /// Until the frame returns.
    Finish,
    /// Like `next`, but not backwards (leaves a loop).
    Until,
    /// To the location, or until the frame returns.
    UntilLocation(Location),
    /// To the location.
    Advance(Location),
    /// Go on from the location instead.
    Jump(Location),
    /// Go on with this signal (`0`: none).
    Signal(String),
    /// Leave the frame at once, with this value (gdb's `return`); nothing of it runs any more.
    Return(Option<String>),
}

/// `break`, `tbreak`, `dprintf`, `barrier`.
#[derive(Clone, Debug, Default)]
pub struct BreakpointSpec {
    pub location: Location,
    pub temporary: bool,
    /// In debug registers (`hbreak`).
    pub hardware: bool,
    pub condition: Option<String>,
    /// `thread 2.1`, `inferior 2`, `on SET`.
    pub only: Option<Set>,
    /// Accept a location that exists nowhere yet.
    pub pending: bool,
    /// Turns it into a `dprintf`: format and arguments.
    pub dprintf: Option<(String, Vec<String>)>,
    /// Turns it into a barrier; `only` then says who must arrive.
    pub barrier: bool,
}

/// What a watchpoint looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchAccess {
    /// `watch`: written with another value.
    Write,
    /// `rwatch`: read.
    Read,
    /// `awatch`: either.
    Access,
}

/// `watch`, `rwatch`, `awatch`.
#[derive(Clone, Debug)]
pub struct WatchSpec {
    pub expression: String,
    pub access: WatchAccess,
    /// `-l`: watch the place the expression denotes now, whatever becomes of its frame.
    pub location: bool,
    pub condition: Option<String>,
    pub only: Option<Set>,
}

/// `catch …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatchSpec {
    Fork,
    Vfork,
    Exec,
    /// Names or numbers; empty: all.
    Syscall(Vec<String>),
    /// Names or numbers; empty: all that a debugger doesn't use itself.
    Signal(Vec<String>),
    /// A Rust panic.
    Panic,
    /// C++ `throw`.
    Throw,
    /// C++ `catch`.
    Catch,
    /// C++ rethrow.
    Rethrow,
}

/// One word of `handle SIGNAL …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleAction {
    Stop,
    NoStop,
    Print,
    NoPrint,
    Pass,
    NoPass,
}

/// What part of a stack to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackSpec {
    /// Positive: the innermost N; negative: the outermost N.
    pub limit: Option<i64>,
    /// With local variables.
    pub full: bool,
}

/// What `x` shows: count, format letter, unit, and an expression for the address (empty: go on after the last).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExamineSpec {
    pub count: Option<i64>,
    /// One of `x d u o t a c f s i z`.
    pub format: Option<char>,
    /// One of `b h w g`.
    pub unit: Option<char>,
    pub expression: String,
}

/// What `list` shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListSpec {
    /// Around the frame at first, then the lines after the last shown.
    #[default]
    Onward,
    /// `-`: the lines before the last shown.
    Backward,
    /// Around a location.
    Around(Location),
    /// `FIRST,LAST`; either side may be left out.
    Range(Option<Location>, Option<Location>),
}

/// What `disassemble` shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisassembleSpec {
    /// Empty: the frame's function. `LOC`, `START,END` or `START,+LENGTH` as expressions.
    pub what: String,
    /// `/s` or `/m`: lines of source between the instructions.
    pub source: bool,
}
