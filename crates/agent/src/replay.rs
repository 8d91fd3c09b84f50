//! `wayfarer replay`: runs a trace again and compares everything.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wayfarer_model::{ProcessEnd, ProcessId, WaitStatus};
use wayfarer_replay::words::{thread_name, wait_text};
use wayfarer_replay::{
    Difference, Explanation, Plan, ThreadState, Verdict, Wait, compare, explain, judge,
};
use wayfarer_runtime_abi::BASE_PADDING;
use wayfarer_runtime_abi::layout::process_state;
use wayfarer_trace::{OpenError, Trace};

use crate::children::{Stat, Watch, is_descendant, reap};
use crate::launch::{Launch, LaunchError, start};
use crate::modules::{self, ChangedModule};
use crate::observe;
use crate::program::Program;
use crate::replay_session::{self, BuildError};
use crate::runtime_library;
use crate::session::Session;

/// Nobody has moved for so long: time to judge.
const QUIET: Duration = Duration::from_secs(1);
/// How often the session is looked at: at first, and once it goes on for long.
const SHORTEST_LOOK: Duration = Duration::from_millis(1);
const LONGEST_LOOK: Duration = Duration::from_millis(20);
/// A thread may compute without events, but not much longer than the whole recording took.
const LEAST_PATIENCE: Duration = Duration::from_secs(15);
const PATIENCE_WITHOUT_END: Duration = Duration::from_secs(60);
/// How long killed processes may take to be gone.
const CLEARING: Duration = Duration::from_secs(5);

/// Why there was no replay.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Changed(#[from] ChangedModule),
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
            Self::Open(_)
            | Self::Changed(_)
            | Self::Build(BuildError::Plan(_) | BuildError::TooLarge { .. }) => 2,
            Self::Interrupted(signal) => 128 + *signal as i32,
            _ => 125,
        }
    }
}

/// What a replay showed.
pub struct ReplayReport {
    pub explanation: Option<Explanation>,
    /// Exit status of the command as the replay reproduced it, 128 + signal.
    pub status: i32,
    pub processes: u64,
    pub threads: u64,
    pub events: u64,
    pub trace_bytes: u64,
    /// Where each thread was when a cut trace came to its end.
    pub ends_at: Vec<String>,
    /// What is unreadable in the trace.
    pub damage: Vec<String>,
}

/// What to replay.
#[derive(Clone, Copy, Default)]
pub struct ReplayOptions<'a> {
    /// Just the process of that name, and what is needed to get to it.
    pub only: Option<&'a str>,
    /// The good part of a damaged trace is better than nothing.
    pub accept_damage: bool,
}

/// Replays a trace and compares everything.
pub fn replay(trace: &Trace, options: ReplayOptions) -> Result<ReplayReport, ReplayError> {
    let (session, plan) = replay_session::build(trace, options.only)?;
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
    let watch = Watch::begin().map_err(ReplayError::Watch)?;
    let pid = start(&Launch {
        program: &program,
        environment: &environment,
        process: plan.root.0,
        padding: padding(&plan),
        session: session.file(),
        runtime: &runtime,
        mask: watch.previous_mask(),
        replay: true,
    })?;
    let mut run = Run {
        trace,
        plan: &plan,
        session: &session,
        watch: &watch,
        root: pid,
        ended: BTreeMap::new(),
    };
    let end = run.until_end();
    run.clear();
    match end {
        Ok(end) => Ok(run.report(end)),
        Err(signal) => Err(ReplayError::Interrupted(signal)),
    }
}

/// The stack of the first program keeps its shape although it is started by another path.
fn padding(plan: &Plan) -> usize {
    (BASE_PADDING + plan.start.given_path.0.len()).saturating_sub(plan.start.executable.0.len())
}

/// How the monitoring ended.
enum End {
    /// Nobody lives any more.
    AllGone,
    /// A cut trace is at its end; where everybody was.
    Cut(Vec<ThreadState>),
    Different(Difference, Vec<ThreadState>),
}

struct Run<'a> {
    trace: &'a Trace,
    plan: &'a Plan,
    session: &'a Session,
    watch: &'a Watch,
    root: Pid,
    /// Wait statuses of the processes that were ours to wait for.
    ended: BTreeMap<ProcessId, i32>,
}

impl Run<'_> {
    /// Looks on until the replay is over; an error is the signal that the user sent.
    fn until_end(&mut self) -> Result<End, Signal> {
        let patience = self.patience();
        let mut look = SHORTEST_LOOK;
        let mut last_progress = 0;
        let mut last_move = Instant::now();
        loop {
            match self.watch.next(look) {
                Some(Signal::SIGCHLD) | None => {}
                Some(signal) => return Err(signal),
            }
            let left = self.collect();
            if let Some(met) = observe::divergence(self.session) {
                return Ok(End::Different(
                    Difference::Met(Box::new(met)),
                    observe::threads(self.session, self.plan),
                ));
            }
            if !left {
                return Ok(End::AllGone);
            }
            let threads = observe::threads(self.session, self.plan);
            let progress = observe::progress(&threads);
            if progress != last_progress {
                (last_progress, last_move) = (progress, Instant::now());
                look = (look * 2).min(LONGEST_LOOK);
                continue;
            }
            look = LONGEST_LOOK;
            if last_move.elapsed() > QUIET {
                let threads = self.without_the_dead(threads);
                if self.end_the_killed(&threads) {
                    last_move = Instant::now();
                    continue;
                }
                match judge(
                    &threads,
                    self.session.header().output_turn.load(Ordering::Acquire),
                    self.plan.cut,
                ) {
                    Verdict::GoOn if last_move.elapsed() < patience => {}
                    Verdict::SkipOutput { to } => {
                        self.skip_output(to);
                        last_move = Instant::now();
                    }
                    Verdict::TraceEnds => return Ok(End::Cut(threads)),
                    Verdict::GoOn | Verdict::Standstill => {
                        return Ok(End::Different(Difference::Standstill, threads));
                    }
                }
            }
        }
    }

    /// How long a thread may run without an event.
    fn patience(&self) -> Duration {
        let manifest = self.trace.manifest();
        manifest.end.map_or(PATIENCE_WITHOUT_END, |end| {
            LEAST_PATIENCE
                + 3 * Duration::from_nanos(
                    end.realtime_ns.saturating_sub(manifest.start_realtime_ns),
                )
        })
    }

    fn collect(&mut self) -> bool {
        let (ended, left) = reap();
        for end in ended {
            let id = if end.pid == self.root {
                Some(self.plan.root)
            } else {
                self.process_of(end.pid)
            };
            if let Some(id) = id {
                self.ended.insert(id, end.wait_status);
            }
        }
        left
    }

    fn process_of(&self, pid: Pid) -> Option<ProcessId> {
        let is_it = |id: &u32| {
            self.session
                .process(*id)
                .is_some_and(|slot| slot.real_pid.load(Ordering::Acquire) == pid.as_raw() as u32)
        };
        // Numbers of the kernel are used again: the youngest process of that number is the one.
        self.session.process_ids().rev().find(is_it).map(ProcessId)
    }

    fn real_pid(&self, id: ProcessId) -> Option<i32> {
        let pid = self.session.process(id.0)?.real_pid.load(Ordering::Acquire) as i32;
        (pid > 0).then_some(pid)
    }

    /// A process that died outside the runtime leaves its threads behind in the tables.
    fn without_the_dead(&mut self, mut threads: Vec<ThreadState>) -> Vec<ThreadState> {
        for thread in threads.iter_mut().filter(|thread| thread.live) {
            let stat = self
                .real_pid(thread.process)
                .map(|pid| (pid, Stat::read(pid)));
            match stat {
                Some((_, Some(stat))) if stat.state == 'Z' => {
                    thread.live = false;
                    self.ended.entry(thread.process).or_insert(stat.exit_code);
                }
                Some((_, None)) => thread.live = false,
                _ => {}
            }
        }
        threads
    }

    /// Ends processes that a signal ended while recording and that have nothing left to do. Whether
    /// there were any.
    fn end_the_killed(&self, threads: &[ThreadState]) -> bool {
        let mut any = false;
        for (id, end) in &self.plan.ends {
            let ProcessEnd::Killed(number) = end else {
                continue;
            };
            let mut own = threads
                .iter()
                .filter(|thread| thread.process == *id && thread.live)
                .peekable();
            if own.peek().is_some()
                && own
                    .all(|thread| thread.wait == Wait::End || thread.events >= thread.promised)
            {
                any |= self.send(*id, Signal::try_from(*number).unwrap_or(Signal::SIGKILL));
            }
        }
        any
    }

    fn send(&self, id: ProcessId, signal: Signal) -> bool {
        match self.real_pid(id) {
            Some(pid) if is_descendant(pid) => kill(Pid::from_raw(pid), signal).is_ok(),
            _ => false,
        }
    }

    fn skip_output(&self, to: u32) {
        let turn = &self.session.header().output_turn;
        turn.store(to, Ordering::Release);
        crate::children::wake_all(turn);
    }

    /// Ends whatever still runs, and waits until it is gone.
    fn clear(&mut self) {
        self.session.header().stop.store(1, Ordering::Release);
        let began = Instant::now();
        while self.collect() && began.elapsed() < CLEARING {
            for id in self.session.process_ids().map(ProcessId) {
                if self
                    .session
                    .process(id.0)
                    .is_some_and(|slot| slot.state.load(Ordering::Acquire) != process_state::FREE)
                {
                    self.send(id, Signal::SIGKILL);
                }
            }
            let root = self.root.as_raw();
            if !self.ended.contains_key(&self.plan.root) && is_descendant(root) {
                let _ = kill(self.root, Signal::SIGKILL);
            }
            self.watch.next(LONGEST_LOOK);
        }
    }

    fn report(&self, end: End) -> ReplayReport {
        let now = observe::threads(self.session, self.plan);
        let processes = observe::processes(self.session, &self.ended);
        let mut ends_at = Vec::new();
        let mut status = self
            .ended
            .get(&self.plan.root)
            .and_then(|status| WaitStatus(*status).shell_status());
        let difference = match end {
            End::AllGone => compare(self.trace, self.plan, &processes, &now)
                .map(|difference| (difference, now.clone())),
            End::Cut(threads) => {
                ends_at = threads
                    .iter()
                    .filter(|thread| thread.live)
                    .map(|thread| self.place(thread, &threads))
                    .collect();
                status = self
                    .trace
                    .manifest()
                    .end
                    .and_then(|end| end.shell_status())
                    .or(status);
                None
            }
            End::Different(difference, threads) => Some((difference, threads)),
        };
        let started = processes.iter().filter(|process| {
            !matches!(process.state, process_state::FREE | process_state::SKIPPED)
        });
        ReplayReport {
            explanation: difference
                .map(|(difference, threads)| explain(self.trace, &difference, &threads)),
            status: status.unwrap_or(125),
            processes: started.count() as u64,
            threads: now.iter().filter(|thread| thread.events > 0).count() as u64,
            events: now.iter().map(|thread| thread.events).sum(),
            trace_bytes: self.trace.bytes_on_disk(),
            ends_at,
            damage: self.plan.damage.clone(),
        }
    }

    fn place(&self, thread: &ThreadState, threads: &[ThreadState]) -> String {
        let name = thread_name(self.trace, thread.id);
        format!(
            "{name} after {} events, {}",
            thread.events,
            wait_text(self.trace, &thread.wait, threads)
        )
    }
}
