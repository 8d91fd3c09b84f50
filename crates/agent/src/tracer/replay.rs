//! A replay among the processes of the session: a trace's processes are held like any others.
//!
//! `wayfarer_recorder` prepares the replay and decides how it goes on; that is its [`Course`]. The tracer starts the
//! first program as it starts any other, tells the course of ends and of halts, and gives it a look as often as it asks
//! for one. What the runtime in each process does for itself (calls that are dispatched, threads that are told to look
//! up, accesses that may fault) arrives here as signals, too: those pass without a word, because they are none of the
//! program's.

use super::Tracer;
use super::births::Starting;
use super::process::SpaceId;
use super::thread::Thread;
use crate::command::Reply;
use crate::failure;
use std::path::Path;
use std::time::{Duration, Instant};
use wayfarer_backend::{
    Answer, EventKind, Failure, FailureKind, Hold, HoldBackRequest, OpenTraceReply,
    OpenTraceRequest, ReplayEnded, StopReason, StopScope, ThreadId,
};
use wayfarer_model::ProcessId as RecordedId;
use wayfarer_ptrace::{End as ProcessEnd, SignalInfo, Tid, process_files, wait};
use wayfarer_recorder::replay::{Course, Look, Prepared, ReplayOptions, ReplayReport, prepare};
use wayfarer_replay::Wait;
use wayfarer_replay::divergence::Difference;
use wayfarer_replay::monitor::End;
use wayfarer_runtime_abi::layout::process_state;
use wayfarer_trace::Trace;

/// `si_code` of a call that was dispatched.
const DISPATCHED: i32 = 2;
/// No instruction that the runtime answers is longer.
const LONGEST_ANSWERED: usize = 6;
/// How the file of our library is called.
const RUNTIME: &str = "libwayfarer_runtime";

/// A replay that runs.
pub struct Replay {
    trace: Trace,
    directory: String,
    course: Course,
    /// So many writes to the output were shown by replays before.
    shown: u32,
    /// When it wants to be looked at.
    due: Instant,
}

/// A replay that is asked for.
pub struct Opening {
    request: OpenTraceRequest,
    reply: Reply<Answer<OpenTraceReply>>,
}

/// A replay whose first program has not begun.
struct Opened {
    replay: Replay,
    launch: wayfarer_ptrace::Launch,
    notes: Vec<String>,
}

impl Tracer {
    /// Begins a replay; answered when its first program stands at its first instruction. What was killed before is
    /// waited for.
    pub(super) fn open_trace(
        &mut self,
        request: OpenTraceRequest,
        reply: Reply<Answer<OpenTraceReply>>,
    ) {
        let opening = Opening { request, reply };
        let dying = self.processes.values().all(|process| process.killed);
        if dying && !self.processes.is_empty() {
            self.opening = Some(opening);
        } else {
            self.begin_replay(opening);
        }
    }

    fn begin_replay(&mut self, opening: Opening) {
        let Opening { request, reply } = opening;
        let shown = self
            .shown
            .take_if(|(directory, _)| request.again && *directory == request.directory);
        let begun = self
            .may_replay()
            .and_then(|()| open(&request, shown.map_or(0, |(_, shown)| shown)))
            .and_then(|opened| {
                let pid =
                    wayfarer_ptrace::launch(&opened.launch).map_err(|error| failure::of(&error))?;
                Ok((opened, pid))
            });
        match begun {
            Ok((
                Opened {
                    mut replay,
                    launch,
                    notes,
                },
                pid,
            )) => {
                replay.course.begun(pid.0);
                self.replay = Some(replay);
                let starting = Starting::trace(&launch, reply, notes);
                self.starting.insert(pid, starting);
            }
            Err(failure) => {
                let _ = reply.send(Err(failure));
            }
        }
    }

    /// All processes of a replay move together, so there can be only one, and nothing beside it.
    fn may_replay(&self) -> Answer<()> {
        if self.processes.is_empty() && self.starting.is_empty() && self.replay.is_none() {
            return Ok(());
        }
        Err(invalid(
            "a replay needs a session of its own, and there are processes in this one",
        ))
    }

    /// How long the replay may be left alone; `None`: there is none, or all of it stands still.
    pub(super) fn replay_patience(&self) -> Option<Duration> {
        let replay = self.replay.as_ref().filter(|_| self.anybody_runs())?;
        Some(replay.due.saturating_duration_since(Instant::now()))
    }

    /// Looks at the replay if it is time.
    pub(super) fn attend_to_replay(&mut self) {
        if self.processes.is_empty()
            && let Some(opening) = self.opening.take()
        {
            self.begin_replay(opening);
        }
        let runs = self.anybody_runs();
        let held = self.threads.values().any(|thread| !thread.may_run());
        let Some(replay) = &mut self.replay else {
            return;
        };
        if held {
            replay.course.halted();
        } else {
            replay.course.resumed();
        }
        if !runs || Instant::now() < replay.due {
            return;
        }
        match replay.course.look(true) {
            Look::Again(within) => replay.due = Instant::now() + within,
            Look::Over(end) => self.stop_replay(end),
        }
    }

    fn anybody_runs(&self) -> bool {
        self.threads.values().any(|thread| thread.may_run())
    }

    /// The replay cannot go on while processes live: all of it stops, at the thread that it is about.
    fn stop_replay(&mut self, end: End) {
        let Some(replay) = &mut self.replay else {
            return;
        };
        // What is resumed from here on stops here again.
        replay.due = Instant::now();
        let about = match &end {
            End::Different(Difference::Met(met), _) => Some(met.thread),
            End::Different(Difference::EndedEarly { thread, .. }, _) => Some(*thread),
            _ => None,
        };
        let tid = about.and_then(|thread| replay.course.tid_of(thread));
        let report = replay.course.report(&replay.trace, end);
        let thread = tid
            .and_then(|tid| self.tids.get(&Tid(tid)).copied())
            .or_else(|| {
                self.threads
                    .values()
                    .find(|thread| thread.may_run())
                    .map(|thread| thread.id)
            });
        if let Some(thread) = thread {
            self.stop_at(thread, reason_of(&report), Some(StopScope::All));
        }
    }

    /// A process of the session has ended: the replay is told, and ends with the last one.
    pub(super) fn replayed_process_ended(&mut self, pid: Tid, end: ProcessEnd, last: bool) {
        let Some(replay) = &mut self.replay else {
            return;
        };
        replay.course.ended(pid.0, end.wait_status());
        if !last {
            return;
        }
        if let Look::Over(end) = replay.course.look(false) {
            let report = replay.course.report(&replay.trace, end);
            self.tell(EventKind::ReplayEnded(ReplayEnded {
                difference: report.explanation.as_ref().map(ToString::to_string),
                status: report.status,
                events: report.events,
                threads: report.threads,
                processes: report.processes,
            }));
        }
        self.abandon_replay();
    }

    /// Whatever happens to the processes from now on, it is not the trace's.
    pub(super) fn abandon_replay(&mut self) {
        self.settling = None;
        if let Some(replay) = self.replay.take() {
            let shown = replay.shown.max(replay.course.outputs());
            self.shown = Some((replay.directory, shown));
        }
    }

    /// Holds one thread back, or none.
    pub(super) fn hold_back(&mut self, request: &HoldBackRequest) -> Answer<()> {
        let replay = self
            .replay
            .as_ref()
            .ok_or_else(|| invalid("this is not a replay"))?;
        match &request.hold {
            None => replay.course.let_go(),
            Some(hold) => hold_in(&replay.trace, &replay.course, hold)?,
        }
        Ok(())
    }

    /// Where a thread rests, if it does.
    pub(super) fn rest_of(&self, tid: Tid) -> Option<(u64, Wait)> {
        self.replay.as_ref()?.course.rest_of(tid.0)
    }

    /// The name in the trace of the first process.
    pub(super) fn name_of_root(&self, pid: Tid) -> Option<String> {
        let replay = self.replay.as_ref()?;
        replay.name_of(replay.course.process_of(pid.0)?)
    }

    /// The name in the trace of the process that this thread is making.
    pub(super) fn name_of_child(&self, maker: ThreadId) -> Option<String> {
        let replay = self.replay.as_ref()?;
        let maker = self.threads.get(&maker)?.tid;
        replay.name_of(replay.course.child_of(maker.0)?)
    }

    /// How many events of the recording a thread has made.
    pub(super) fn events_of(&self, thread: ThreadId) -> Option<u64> {
        let replay = self.replay.as_ref()?;
        // Before the runtime has begun there are none.
        let tid = self.threads.get(&thread)?.tid;
        Some(replay.course.events_of(tid.0).unwrap_or(0))
    }

    /// Whether a signal in a replay is the runtime's affair, and not the program's.
    pub(super) fn is_runtimes_own(&mut self, id: ThreadId, info: &SignalInfo) -> bool {
        if self.replay.is_none() {
            return false;
        }
        match (info.signal(), info.code()) {
            (libc::SIGSYS, DISPATCHED) | (libc::SIGSTKFLT, _) => true,
            (libc::SIGSEGV | libc::SIGBUS, code) if code > 0 => self.faults_for_the_runtime(id),
            _ => false,
        }
    }

    fn faults_for_the_runtime(&mut self, id: ThreadId) -> bool {
        let Some(thread) = self.threads.get_mut(&id) else {
            return false;
        };
        let Some(pc) = thread.pc() else {
            return false;
        };
        self.answered_at(id, pc).is_some() || self.is_in_runtime(id, pc)
    }

    fn is_in_runtime(&self, id: ThreadId, pc: u64) -> bool {
        self.threads.get(&id).is_some_and(|thread| {
            process_files::maps(thread.tid)
                .iter()
                .any(|mapping| is_runtime(&mapping.path) && mapping.low <= pc && pc < mapping.high)
        })
    }

    /// Whether the signal that is due to a thread is that of an access of the runtime's own.
    pub(super) fn is_fault_of_runtime(&self, id: ThreadId, pc: u64) -> bool {
        let due = self.threads.get(&id).and_then(|thread| thread.signal);
        self.replay.is_some()
            && matches!(due, Some(libc::SIGSEGV | libc::SIGBUS))
            && self.is_in_runtime(id, pc)
    }

    /// The length of the instruction at an address, if in a replay the runtime answers it.
    pub(super) fn answered_at(&self, id: ThreadId, address: u64) -> Option<usize> {
        self.answered_in(self.space_of(id)?, address)
    }

    /// The same for an address space.
    pub(super) fn answered_in(&self, space: SpaceId, address: u64) -> Option<usize> {
        self.replay.as_ref()?;
        let mut code = [0; LONGEST_ANSWERED];
        let read = self.spaces.get(&space)?.read(address, &mut code);
        answered(&code[..read])
    }

    /// A signal that is the runtime's affair goes to it without a word.
    pub(super) fn pass_to_runtime(&mut self, id: ThreadId, info: &SignalInfo) {
        let asynchronous = info.signal() == libc::SIGSTKFLT;
        if asynchronous && self.defer(id, info) {
            return;
        }
        if !asynchronous {
            // What was executed elsewhere is answered where it belongs.
            self.cancel_displaced(id);
            self.finish_exclusive(id);
        }
        let Some(pc) = self.threads.get_mut(&id).and_then(Thread::pc) else {
            return;
        };
        let faults = info.is_fault();
        let hits = faults && self.is_breakpoint_answered(id, pc);
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        if faults && !thread.may_run() {
            // It faults again when it goes on; until then, breakpoints may come and go here.
            thread.signal = None;
        } else if hits && thread.skip_at != Some(pc) {
            thread.signal = None;
            self.hit(id, pc);
        } else {
            if faults {
                thread.skip_at = None;
            }
            thread.signal = Some(info.signal());
            self.go_on(id);
        }
    }

    fn is_breakpoint_answered(&self, id: ThreadId, pc: u64) -> bool {
        let space = self.space_of(id).and_then(|space| self.spaces.get(&space));
        let inserted = space.and_then(|space| space.inserted.get(&pc));
        inserted.is_some_and(|inserted| inserted.answered)
    }
}

/// The length of an instruction that the kernel or the runtime makes fault, because its answer is in the trace: a read
/// of the time-stamp counter or of random numbers. Most have `hlt` in the place of the first byte of the opcode.
fn answered(code: &[u8]) -> Option<usize> {
    let is_short = code.first() == Some(&0x66);
    let position = usize::from(is_short);
    let is_extended = code.get(position).is_some_and(|byte| byte & 0xf0 == 0x40);
    let position = position + usize::from(is_extended);
    match code.get(position..)? {
        [0xf4 | 0x0f, 0x31, ..] => Some(position + 2),
        [0xf4 | 0x0f, 0x01, 0xf9, ..] | [0xf4 | 0x0f, 0xc7, 0xf0..=0xff, ..] => Some(position + 3),
        _ => None,
    }
}

impl Replay {
    fn name_of(&self, id: RecordedId) -> Option<String> {
        Some(self.trace.process(id)?.name.clone())
    }
}

/// Whether the file of a mapping is our library.
pub(super) fn is_runtime(path: &str) -> bool {
    Path::new(path)
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with(RUNTIME))
}

/// `shown`: so many writes to the output were shown by a replay before.
fn open(request: &OpenTraceRequest, shown: u32) -> Answer<Opened> {
    let trace = Trace::open(Path::new(&request.directory)).map_err(invalid)?;
    let options = ReplayOptions {
        accept_damage: request.accept_damage,
        ..ReplayOptions::default()
    };
    // Children whose parents have gone are ours, so that they can be told from strangers.
    wait::adopt_orphans().map_err(|error| Failure::new(FailureKind::System, error.to_string()))?;
    let Prepared { launch, course } = prepare(&trace, options).map_err(invalid)?;
    course.hide_outputs(shown);
    if let Some(hold) = &request.hold {
        hold_in(&trace, &course, hold)?;
    }
    let mut notes = course.damage().to_vec();
    let unfollowed: Vec<&str> = trace
        .processes()
        .iter()
        .filter(|process| process.state == process_state::OPAQUE)
        .map(|process| process.name.as_str())
        .collect();
    if !unfollowed.is_empty() {
        notes.push(format!(
            "not followed while recording, so what they did is left out here: {}",
            unfollowed.join(", ")
        ));
    }
    let due = Instant::now();
    Ok(Opened {
        replay: Replay {
            trace,
            directory: request.directory.clone(),
            course,
            shown,
            due,
        },
        launch,
        notes,
    })
}

/// Holds the thread back that is named.
fn hold_in(trace: &Trace, course: &Course, hold: &Hold) -> Answer<()> {
    let name = hold.process.as_str();
    let whole = || Some((name, trace.process_named(name)?, hold.thread));
    let with_thread = || {
        let (name, thread) = name.rsplit_once('.')?;
        Some((name, trace.process_named(name)?, thread.parse().ok()?))
    };
    let Some((name, process, thread)) = whole().or_else(with_thread) else {
        return Err(invalid(format!(
            "there is no process {name} in this trace; wayfarer info lists them"
        )));
    };
    let threads = trace.threads().iter();
    let mut threads = threads.filter(|thread| thread.process == process.id);
    let Some(thread) = threads.nth((thread as usize).saturating_sub(1)) else {
        return Err(invalid(format!(
            "{name} has no thread {thread} in this trace"
        )));
    };
    let promised = course.promised(thread.id);
    if hold.events > promised {
        return Err(invalid(format!(
            "{} makes {promised} events in this trace, not {}",
            hold.process, hold.events
        )));
    }
    course.hold_back(thread.id, hold.events);
    Ok(())
}

fn reason_of(report: &ReplayReport) -> StopReason {
    match &report.explanation {
        Some(explanation) => StopReason::Diverged(explanation.to_string()),
        None => StopReason::EndOfTrace(report.ends_at.join("\n")),
    }
}

fn invalid(error: impl ToString) -> Failure {
    Failure::new(FailureKind::Invalid, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::answered;

    #[test]
    fn reads_that_are_answered_are_known_by_their_bytes() {
        let table: [(&[u8], Option<usize>); 9] = [
            (&[0xf4, 0x31, 0xc0], Some(2)),
            (&[0x0f, 0x31], Some(2)),
            (&[0xf4, 0x01, 0xf9], Some(3)),
            (&[0xf4, 0xc7, 0xf0], Some(3)),
            (&[0x66, 0xf4, 0xc7, 0xf1], Some(4)),
            (&[0x48, 0xf4, 0xc7, 0xf8], Some(4)),
            (&[0x66, 0x41, 0xf4, 0xc7, 0xf9], Some(5)),
            (&[0xf4, 0x90], None),
            (&[0x48, 0x89, 0xe5], None),
        ];
        for (code, length) in table {
            assert_eq!(answered(code), length, "{code:x?}");
        }
    }
}
