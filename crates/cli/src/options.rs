//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use wayfarer_runtime_abi::layout::flags;

use crate::delays::Delays;
use crate::live::LiveOptions;

/// Records programs that are many (threads, processes) and plays them back, as often as you like.
#[derive(Parser)]
#[command(name = "wayfarer", version, disable_help_subcommand = true)]
pub struct Options {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run a command and record it with all the processes that it starts
    Record(RecordOptions),
    /// Debug a recorded run, or compare a replay of it with the recording
    Replay(ReplayOptions),
    /// Show what a trace holds
    Info(InfoOptions),
    /// Show who had each lock and its like, in which order
    History(HistoryOptions),
    /// Look for an exact replay of a trace that was recorded with parallel threads
    Solidify(SolidifyOptions),
    /// Run a command under the debugger; it is loaded, not started, when the prompt comes
    Run(crate::run::RunOptions),
    /// Debug processes that run already
    Attach(crate::attach::AttachOptions),
    /// Hold the debuggees of this host for a debugger, which usually starts this by itself
    Agent(crate::agent::AgentOptions),
    /// Show what this machine offers and what each lack means
    Doctor(DoctorOptions),
    /// Record a small distributed program until its bug shows, find the bug in the debugger, and replay that run
    Demo,
}

#[derive(Args)]
pub struct RecordOptions {
    /// Directory for the trace; it must not exist yet or be empty [default: wayfarer-trace-PROGRAM]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// How the threads of a process are recorded
    #[arg(long, value_enum, default_value_t = Threads::Auto)]
    pub threads: Threads,
    /// Which received bytes are kept: those from outside the recorded processes, or all of them
    #[arg(long, value_enum, default_value_t = Contents::External)]
    pub contents: Contents,
    /// Leave libc unpatched: every call goes through Syscall User Dispatch, slowly
    #[arg(long)]
    pub no_patch: bool,
    /// Leave a recipe of the runtime out, to see that the tests notice
    #[arg(long, value_enum, hide = true, value_name = "NAME")]
    pub ablate: Vec<Ablation>,
    /// The command and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CMD"
    )]
    pub command: Vec<OsString>,
}

impl RecordOptions {
    /// Bits of `layout::flags`.
    pub fn flags(&self) -> u32 {
        let patch = if self.no_patch { flags::NO_PATCH } else { 0 };
        let threads = match self.threads {
            Threads::Auto => 0,
            Threads::Serial => flags::SERIAL,
            Threads::Parallel => flags::PARALLEL,
        };
        self.ablate
            .iter()
            .fold(patch | threads, |all, ablation| all | ablation.flag())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Threads {
    /// Parallel where all synchronisation of a process is visible, else serial
    Auto,
    /// One thread of a process at a time: data races replay too
    Serial,
    /// All at once: only what locks and their like put in order is sure to replay
    Parallel,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Contents {
    External,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ablation {
    Vdso,
    MaskStrip,
    Rearm,
    Restorer,
    Environment,
    Dispatch,
    FilterPrefix,
    Guard,
    ChildFrame,
    Vfork,
    AlternateStack,
    EarlyStart,
}

impl Ablation {
    fn flag(self) -> u32 {
        match self {
            Self::Vdso => flags::NO_VDSO,
            Self::MaskStrip => flags::NO_MASK_STRIP,
            Self::Rearm => flags::NO_REARM,
            Self::Restorer => flags::NO_RESTORER,
            Self::Environment => flags::NO_ENVIRONMENT,
            Self::Dispatch => flags::NO_DISPATCH,
            Self::FilterPrefix => flags::NO_FILTER_PREFIX,
            Self::Guard => flags::NO_GUARD,
            Self::ChildFrame => flags::NO_CHILD_FRAME,
            Self::Vfork => flags::NO_VFORK,
            Self::AlternateStack => flags::NO_ALTERNATE_STACK,
            Self::EarlyStart => flags::NO_EARLY_START,
        }
    }
}

/// What a replay without a prompt has of its own.
const CHECKING: &str = "Without a prompt";
/// Options that bring commands for the prompt. An option that only requires `--check` would be let pass beside them.
const COMMANDS: [&str; 3] = ["batch", "execute", "script"];
const REPLAY_PROMPT: &str = "\
The prompt is that of `wayfarer run`, and the recorded run stands before its first instruction: set breakpoints, \
then `run`. It does the same every time; `run` begins it again. Where standard input is no terminal, commands come from \
it.

  wayfarer replay DIR
  wayfarer replay DIR --batch -e 'break main' -e run -e backtrace
  wayfarer replay DIR --check";

#[derive(Args)]
#[command(after_help = REPLAY_PROMPT)]
pub struct ReplayOptions {
    /// The trace directory
    #[arg(value_name = "DIR")]
    pub trace: PathBuf,
    #[command(flatten)]
    pub live: LiveOptions,
    /// Replay all and compare everything, without a prompt; exit status 0 identical, 3 diverged. With --json the verdict
    /// is one JSON object, the last line of stdout
    #[arg(long, help_heading = CHECKING, conflicts_with_all = COMMANDS)]
    pub check: bool,
    /// With --check: replay one process by itself (recorded with --contents all)
    #[arg(long, value_name = "NAME", help_heading = CHECKING, requires = "check", conflicts_with_all = COMMANDS)]
    pub only: Option<String>,
    /// With --check: when a trace with parallel threads diverges, try again with other timing, up to N times
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = CHECKING, requires = "check", conflicts_with_all = COMMANDS)]
    pub retry: u32,
    /// Run the threads of parallel processes one at a time, with these delays: PROCESS:POINT:OTHERS,…
    #[arg(long, value_name = "DELAYS", hide = true, requires = "check")]
    pub solid_delays: Option<Delays>,
}

#[derive(Args)]
pub struct InfoOptions {
    /// The trace directory
    #[arg(value_name = "DIR")]
    pub trace: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct HistoryOptions {
    /// The trace directory
    #[arg(value_name = "DIR")]
    pub trace: PathBuf,
    /// Names of objects, as the list shows them (L3, or just 3); all when left out
    #[arg(value_name = "OBJ")]
    pub objects: Vec<String>,
    /// Show every run, however many there are
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct SolidifyOptions {
    /// The trace directory
    #[arg(value_name = "DIR")]
    pub trace: PathBuf,
    /// How many replays to try
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub attempts: u32,
}

#[derive(Args)]
pub struct DoctorOptions {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Options::command().debug_assert();
    }

    #[test]
    fn a_replay_is_checked_or_takes_commands() {
        let parsed = |words: &[&str]| {
            let words = ["wayfarer", "replay", "t"].iter().chain(words);
            Options::try_parse_from(words)
        };
        assert!(parsed(&["--batch", "-e", "bt", "-x", "file"]).is_ok());
        assert!(parsed(&["--check", "--json", "--retry", "2"]).is_ok());
        assert!(parsed(&["--check", "-e", "bt"]).is_err());
        assert!(parsed(&["--retry", "2"]).is_err());
        assert!(parsed(&["--only", "bank", "-e", "bt"]).is_err());
    }

    #[test]
    fn arguments_of_the_command_are_its_own() {
        let options = Options::parse_from(["wayfarer", "record", "-o", "t", "ls", "-l", "--json"]);
        let Command::Record(options) = options.command else {
            unreachable!()
        };
        assert_eq!(options.command, ["ls", "-l", "--json"]);
        let options = Options::parse_from([
            "wayfarer",
            "record",
            "--no-patch",
            "--",
            "-strange",
            "--",
            "x",
        ]);
        let Command::Record(options) = options.command else {
            unreachable!()
        };
        assert_eq!(options.command, ["-strange", "--", "x"]);
        assert_eq!(options.flags(), flags::NO_PATCH);
    }
}
