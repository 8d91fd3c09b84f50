//! Looks on while a replay runs: collects ends, notices divergences, and sees to it that nothing hangs.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wayfarer_model::{ProcessEnd, ProcessId, ThreadId};
use wayfarer_replay::outcome::end_of;
use wayfarer_replay::words::{thread_name, wait_text};
use wayfarer_replay::{Difference, Plan, ThreadState, Verdict, Wait, compare, explain, judge};
use wayfarer_runtime_abi::layout::process_state;
use wayfarer_trace::Trace;

use crate::children::{Stat, Watch, is_descendant, processor_use, reap, wake_all};
use crate::observe;
use crate::replay::ReplayReport;
use crate::session::Session;

/// Nobody has moved for so long: time to judge.
const QUIET: Duration = Duration::from_secs(1);
/// A killed process that has made all its events need not run for so long.
const KILLED_QUIET: Duration = Duration::from_millis(200);
/// Processor time that it must have had behind its last event: on a busy machine it may not have come so far as to give
/// its turn away.
const KILLED_RUNS_ON: Duration = Duration::from_millis(10);
/// How long it may wait for that.
const KILLED_STARVES: Duration = Duration::from_secs(10);
/// How often the session is looked at: at first, and once it goes on for long.
const SHORTEST_LOOK: Duration = Duration::from_millis(1);
const LONGEST_LOOK: Duration = Duration::from_millis(20);
/// A thread may compute without events, but not much longer than the whole recording took.
const LEAST_PATIENCE: Duration = Duration::from_secs(15);
const PATIENCE_WITHOUT_END: Duration = Duration::from_secs(60);
/// How long killed processes may take to be gone.
const CLEARING: Duration = Duration::from_secs(5);

/// How the monitoring ended.
pub enum End {
    /// Nobody lives any more.
    AllGone,
    /// A cut trace is at its end; where everybody was.
    Cut(Vec<ThreadState>),
    Different(Difference, Vec<ThreadState>),
}

/// A replay that runs.
pub struct Run<'a> {
    pub trace: &'a Trace,
    pub plan: &'a Plan,
    pub session: &'a Session,
    pub watch: &'a Watch,
    pub root: Pid,
    /// Wait statuses of the processes that were ours to wait for.
    pub ended: BTreeMap<ProcessId, i32>,
    /// Processor time that threads behind their last events had used when they were first looked at.
    pub used: BTreeMap<ThreadId, Duration>,
}

/// Value of `Header::output_tail` behind a newline.
const WHOLE_LINE: u32 = 256 + b'\n' as u32;

impl Run<'_> {
    /// Looks on until the replay is over; an error is the signal that the user sent.
    pub fn until_end(&mut self) -> Result<End, Signal> {
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
                self.used.clear();
                look = (look * 2).min(LONGEST_LOOK);
                continue;
            }
            look = LONGEST_LOOK;
            let quiet = last_move.elapsed();
            if quiet > KILLED_QUIET && self.end_the_killed(&threads, quiet > KILLED_STARVES) {
                last_move = Instant::now();
                continue;
            }
            if quiet > QUIET {
                let threads = self.without_the_dead(threads);
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
            let Some(pid) = self.real_pid(thread.process) else {
                continue;
            };
            let stat = Stat::read(pid);
            if stat.as_ref().is_some_and(|stat| stat.state != 'Z') {
                continue;
            }
            thread.live = false;
            if let Some(stat) = stat {
                self.ended.entry(thread.process).or_insert(stat.exit_code);
            }
            let status = self.ended.get(&thread.process).copied().unwrap_or(0);
            self.mark_ended(thread.process, status as u32);
        }
        threads
    }

    /// Tells whoever waits for this process that it has ended.
    fn mark_ended(&self, id: ProcessId, wait_status: u32) {
        if let Some(slot) = self.session.process(id.0) {
            slot.status.store(wait_status, Ordering::Relaxed);
            slot.state.store(process_state::ENDED, Ordering::Release);
            wake_all(&slot.state);
        }
    }

    /// Ends processes that a signal ended while recording and that have nothing left to do but run on
    /// without events. Whether there were any. `regardless`: even if they had no time to run.
    fn end_the_killed(&mut self, threads: &[ThreadState], regardless: bool) -> bool {
        let mut any = false;
        let plan = self.plan;
        for (id, end) in &plan.ends {
            let (ProcessEnd::Killed(_), Some(status)) = (end, end.wait_status()) else {
                continue;
            };
            let own: Vec<&ThreadState> = threads
                .iter()
                .filter(|thread| thread.process == *id && thread.live)
                .collect();
            let done =
                |thread: &ThreadState| thread.wait == Wait::End || thread.events >= thread.promised;
            if own.is_empty() || !own.iter().all(|thread| done(thread)) {
                continue;
            }
            let starves = own.iter().any(|thread| self.starves(thread));
            if (regardless || !starves) && self.send(*id, Signal::SIGKILL) {
                // Whatever it made of the signal itself, it ends here as it did then.
                self.mark_ended(*id, status.0 as u32);
                any = true;
            }
        }
        any
    }

    /// Whether a thread that is behind its last event would run, and hardly could since it was first asked.
    fn starves(&mut self, thread: &ThreadState) -> bool {
        let used = self.real_pid(thread.process).and_then(|pid| {
            let slot = self.session.thread(thread.id.0)?;
            processor_use(pid, slot.real_tid.load(Ordering::Acquire) as i32)
        });
        let (true, Some((used, true))) = (thread.wait != Wait::End, used) else {
            return false;
        };
        let first = *self.used.entry(thread.id).or_insert(used);
        used.saturating_sub(first) < KILLED_RUNS_ON
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
        wake_all(turn);
    }

    /// Ends whatever still runs, and waits until it is gone.
    pub fn clear(&mut self) {
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

    pub fn report(&self, end: End) -> ReplayReport {
        let now = observe::threads(self.session, self.plan);
        let processes = observe::processes(self.session, &self.ended);
        let mut ends_at = Vec::new();
        let root = processes
            .iter()
            .find(|process| process.id == self.plan.root);
        let mut status = root.and_then(end_of).and_then(ProcessEnd::shell_status);
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
            open_line: !matches!(
                self.session.header().output_tail.load(Ordering::Relaxed),
                0 | WHOLE_LINE
            ),
            ends_at,
            damage: self.plan.damage.clone(),
            parallel: self.plan.parallel,
            turn_ends: self.session.turn_ends(),
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
