//! Breakpoints, watchpoints and catchpoints, and what signals do.

use serde::Serialize;

/// What it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum BreakpointKind {
    Breakpoint,
    /// Prints and goes on.
    Dprintf {
        format: String,
        arguments: Vec<String>,
    },
    Barrier {
        /// The set that must arrive, as typed.
        set: String,
        arrived: Vec<String>,
        missing: Vec<String>,
    },
    Watchpoint {
        expression: String,
        /// `watch`, `rwatch`, `awatch`.
        access: String,
        address: u64,
        length: u32,
        /// Whether it goes when the frame is left.
        scoped: bool,
    },
    Catchpoint {
        /// `fork`, `syscall`, `signal`, `throw` …
        event: String,
        /// `syscalls "write", "read"`.
        detail: String,
    },
}

/// What the user asked for: a line of `info breakpoints`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakpointView {
    pub number: u32,
    #[serde(flatten)]
    pub what: BreakpointKind,
    /// As one would type it; empty for catchpoints.
    pub location: String,
    pub enabled: bool,
    /// Goes away at its first stop.
    pub temporary: bool,
    /// In debug registers instead of the code.
    pub hardware: bool,
    pub condition: Option<String>,
    /// Whether the agent decides the condition without asking us.
    pub condition_in_agent: bool,
    /// How many more hits are passed over.
    pub ignore: u64,
    pub hits: u64,
    /// The set it is restricted to, as typed.
    pub only: Option<String>,
    pub commands: Vec<String>,
    /// Where it is in effect; empty: pending.
    pub places: Vec<PlaceView>,
    /// Why it could not be placed in some process.
    pub problems: Vec<String>,
}

/// One address in one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceView {
    pub process: String,
    pub process_number: u32,
    pub address: u64,
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub module: Option<String>,
}

/// A line of `info signals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SignalView {
    pub number: i32,
    pub name: String,
    pub stop: bool,
    pub print: bool,
    pub pass: bool,
    pub meaning: String,
}
