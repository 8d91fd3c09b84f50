//! `wayfarer replay`: runs a trace again and compares everything.
//!
//! [`build`] lays the trace out for a replay, and [`prepare`] says how it begins. While it runs, its [`Course`] is told
//! what happens: `look` shows the session to the monitor (`wayfarer_replay::monitor`), which decides, `orders` obeys,
//! and `report` sums up. `drive` waits for the processes of a replay that nobody debugs.

pub mod build;
mod course;
mod drive;
mod look;
mod orders;
mod report;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use wayfarer_replay::Plan;
use wayfarer_runtime_abi::BASE_PADDING;
use wayfarer_runtime_abi::layout::{Delay, flags};
use wayfarer_trace::{OpenError, Trace};

use self::build::BuildError;
pub use self::course::{Course, Look};
pub use self::report::ReplayReport;
use crate::children::Watch;
use crate::launch::{Launch, LaunchError, start_as};
use crate::modules::{self, ModuleError};
use crate::program::Program;
use crate::runtime_library;
use crate::session::Session;

/// Why there was no replay.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Module(#[from] ModuleError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("cannot unpack the runtime library: {0}")]
    Runtime(io::Error),
    #[error("cannot set up waiting for processes: {0}")]
    Watch(io::Error),
    #[error("the trace is damaged: {}; restore it from a copy, or replay its good part without --check", .0.join("; "))]
    Damaged(Vec<String>),
    #[error("interrupted by {0}")]
    Interrupted(Signal),
}

impl ReplayError {
    /// Bad input is the user's to mend; the rest is the machine's or ours.
    pub fn exit_code(&self) -> i32 {
        match self {
            Self::Open(_) | Self::Module(_) | Self::Damaged(_) => 2,
            Self::Build(BuildError::Plan(_) | BuildError::TooLarge { .. }) => 2,
            Self::Interrupted(signal) => 128 + *signal as i32,
            _ => 125,
        }
    }
}

/// What to replay.
#[derive(Clone, Copy, Default)]
pub struct ReplayOptions<'a> {
    /// Just the process of that name, and what is needed to get to it.
    pub only: Option<&'a str>,
    /// The good part of a damaged trace is better than nothing.
    pub accept_damage: bool,
    /// Waiting threads look at their turn at random times: another try at a data race.
    pub perturb: bool,
    pub solid: SolidChoice<'a>,
}

/// Whether the threads of parallel processes run one at a time, under a fixed rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolidChoice<'a> {
    /// With the delays that `solidify` has left in the trace, if it has.
    #[default]
    Recorded,
    Delays(&'a [Delay]),
}

impl<'a> SolidChoice<'a> {
    fn delays(self, trace: &'a Trace) -> Option<&'a [Delay]> {
        match self {
            Self::Recorded => trace.solid().ok().flatten().map(|solid| &*solid.delays),
            Self::Delays(delays) => Some(delays),
        }
    }
}

/// A replay that can begin: the first program, and what is to be told and asked while it runs.
pub struct Prepared {
    pub launch: wayfarer_ptrace::Launch,
    pub course: Course,
}

/// Checks what a trace needs and lays it out; nothing runs yet. The first program blocks no signals.
pub fn prepare(trace: &Trace, options: ReplayOptions) -> Result<Prepared, ReplayError> {
    let (mut session, plan) = build::build(trace, options.only)?;
    let delays = options.solid.delays(trace);
    set_flags(&mut session, delays, options.perturb);
    if !options.accept_damage && !plan.damage.is_empty() {
        return Err(ReplayError::Damaged(plan.damage));
    }
    modules::verify(&plan.modules)?;
    let program = Program {
        path: PathBuf::from(plan.start.executable.as_os_str()),
        arguments: plan
            .start
            .arguments
            .iter()
            .map(|text| text.to_os_string())
            .collect(),
    };
    let environment: Vec<OsString> = plan
        .start
        .environment
        .iter()
        .map(|text| text.to_os_string())
        .collect();
    let runtime = runtime_library::open().map_err(ReplayError::Runtime)?;
    let sites = wayfarer_sites::table_bytes(&wayfarer_sites::modules_for(Some(&program.path)));
    session.write_sites(&sites).map_err(BuildError::NoRoom)?;
    let launch = Launch {
        program: &program,
        environment: &environment,
        process: plan.root.0,
        padding: padding(&plan),
        session: session.file(),
        runtime: &runtime,
        mask: &SigSet::empty(),
        replay: true,
        stack_limit_bytes: trace.manifest().stack_limit_bytes,
    }
    .specification()?;
    let course = Course::new(plan, session, runtime, recorded_time(trace));
    Ok(Prepared { launch, course })
}

/// Replays a trace and compares everything.
pub fn replay(trace: &Trace, options: ReplayOptions) -> Result<ReplayReport, ReplayError> {
    let watch = Watch::begin().map_err(ReplayError::Watch)?;
    let Prepared { launch, mut course } = prepare(trace, options)?;
    course.begun(start_as(&launch)?.as_raw());
    let end = drive::until_end(&mut course, &watch);
    drive::clear(&mut course, &watch);
    match end {
        Ok(end) => Ok(course.report(trace, end)),
        Err(signal) => Err(ReplayError::Interrupted(signal)),
    }
}

/// How long the recording took, if it was seen to its end.
fn recorded_time(trace: &Trace) -> Option<Duration> {
    let manifest = trace.manifest();
    let end = manifest.end?;
    Some(Duration::from_nanos(
        end.realtime_ns.saturating_sub(manifest.start_realtime_ns),
    ))
}

fn set_flags(session: &mut Session, delays: Option<&[Delay]>, perturb: bool) {
    if let Some(delays) = delays {
        session.set_delays(delays);
        session.header_mut().flags |= flags::SOLID;
    }
    if perturb {
        session.header_mut().flags |= flags::PERTURB;
    }
}

/// The stack of the first program keeps its shape although it is started by another path.
fn padding(plan: &Plan) -> usize {
    (BASE_PADDING + plan.start.given_path.0.len()).saturating_sub(plan.start.executable.0.len())
}
