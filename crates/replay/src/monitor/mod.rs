//! Watches a replay without touching it: told what was seen and when, it says what to do and when all is over.
//!
//! A [`Monitor`] is a passive state machine. Whoever looks after the processes (a loop that waits for its children,
//! or a tracer that stops them) brings an [`Observation`] with the time at which it was made, carries the
//! [`Order`]s of the answer out, and observes again when the answer says so. The monitor waits for nobody, reads no
//! clock and makes no call, so each of its decisions can be tested with invented observations.
//!
//! A replay that nobody halts may stand still for `QUIET` before it is judged (`standstill`). While a debugger
//! holds it, between [`Monitor::halted`] and [`Monitor::resumed`], no time passes for these decisions.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use wayfarer_model::{ProcessEnd, ProcessId, ThreadId, WaitStatus};

use crate::divergence::Difference;
use crate::observed::{Answers, Life, Observation, Questions, ThreadState, Wait};
use crate::plan::Plan;
use crate::standstill::{Verdict, judge};

/// Nobody has moved for so long: time to judge.
const QUIET: Duration = Duration::from_secs(1);
/// A killed process that has made all its events need not run for so long.
const KILLED_QUIET: Duration = Duration::from_millis(200);
/// Processor time that it must have had after its last event: on a busy machine it may not have come so far as to give
/// its turn away.
const KILLED_RUNS_ON: Duration = Duration::from_millis(10);
/// How long it may wait for that.
const KILLED_STARVES: Duration = Duration::from_secs(10);
/// How often the replay is observed: at first, and once it goes on for long.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);
/// A thread may compute without events, but not much longer than the whole recording took.
const LEAST_PATIENCE: Duration = Duration::from_secs(15);
const PATIENCE_WITHOUT_END: Duration = Duration::from_secs(60);

/// How a replay came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Nobody lives any more.
    AllGone,
    /// A cut trace is at its end; where everybody was.
    Cut(Vec<ThreadState>),
    Different(Difference, Vec<ThreadState>),
}

/// What is to be done to the replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Kill this process, and if that could be done tell whoever waits for it that it has ended like this.
    Kill {
        process: ProcessId,
        wait_status: i32,
    },
    /// Tell whoever waits for this process that it has ended like this.
    TellEnd {
        process: ProcessId,
        wait_status: i32,
    },
    /// Let the write of this number go next.
    SkipOutput { to: u32 },
}

/// What follows from an observation: orders, to be carried out at once, and how to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    pub orders: Vec<Order>,
    pub then: Then,
}

/// How to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    /// Observe again after this time at the latest, or as soon as a process has ended, and find the answers.
    Observe {
        within: Duration,
        questions: Questions,
    },
    Over(End),
}

/// The decisions about one replay that runs. Times are since any fixed moment before it began.
pub struct Monitor {
    /// The trace does not reach the end of every process.
    cut: bool,
    /// How long a thread may run without an event.
    patience: Duration,
    /// Processes that a signal ended while recording.
    killed: BTreeMap<ProcessId, WaitStatus>,
    /// Wait statuses of processes of the replay that have ended.
    ends: BTreeMap<ProcessId, i32>,
    /// Changes whenever any thread has moved.
    progress: u64,
    last_move: Duration,
    pause: Duration,
    /// Somebody holds the replay since then.
    halted: Option<Duration>,
    /// Processor time that threads after their last events had used when they were first asked about.
    used: BTreeMap<ThreadId, Duration>,
    /// Processes that were to be killed since somebody moved.
    condemned: BTreeSet<ProcessId>,
}

impl Monitor {
    /// For a replay that begins `now`. `recorded`: how long the recording took, if that is known.
    pub fn new(plan: &Plan, recorded: Option<Duration>, now: Duration) -> Self {
        let killed = plan.ends.iter().filter_map(|(id, end)| match end {
            ProcessEnd::Killed(_) => Some((*id, end.wait_status()?)),
            _ => None,
        });
        Self::with(killed.collect(), plan.cut, recorded, now)
    }

    fn with(
        killed: BTreeMap<ProcessId, WaitStatus>,
        cut: bool,
        recorded: Option<Duration>,
        now: Duration,
    ) -> Self {
        Self {
            cut,
            patience: recorded.map_or(PATIENCE_WITHOUT_END, |time| LEAST_PATIENCE + 3 * time),
            killed,
            ends: BTreeMap::new(),
            progress: 0,
            last_move: now,
            pause: SHORTEST_PAUSE,
            halted: None,
            used: BTreeMap::new(),
            condemned: BTreeSet::new(),
        }
    }

    /// A process of the replay has ended.
    pub fn ended(&mut self, process: ProcessId, wait_status: i32) {
        self.ends.insert(process, wait_status);
    }

    /// The processes that have ended so far, with their wait statuses.
    pub fn ends(&self) -> &BTreeMap<ProcessId, i32> {
        &self.ends
    }

    /// Somebody has stopped the replay: that it stands still says nothing.
    pub fn halted(&mut self, now: Duration) {
        self.halted.get_or_insert(now);
    }

    /// It goes on. The time of the halt does not count.
    pub fn resumed(&mut self, now: Duration) {
        if let Some(since) = self.halted.take() {
            let quiet_before = since.saturating_sub(self.last_move);
            self.last_move = now.saturating_sub(quiet_before).max(self.last_move);
        }
    }

    /// How long to wait before the first observation.
    pub fn first_pause(&self) -> Duration {
        SHORTEST_PAUSE
    }

    /// Judges what was seen at the time `now`.
    pub fn observe(&mut self, seen: Observation, now: Duration) -> Next {
        if let Some(met) = seen.met {
            return over(End::Different(Difference::Met(Box::new(met)), seen.threads));
        }
        if !seen.anybody_left {
            return over(End::AllGone);
        }
        let progress = progress(&seen.threads);
        if progress != self.progress {
            self.progress = progress;
            self.last_move = now;
            self.used.clear();
            self.condemned.clear();
            self.pause = (self.pause * 2).min(LONGEST_PAUSE);
            return self.again(Vec::new(), Questions::default());
        }
        self.pause = LONGEST_PAUSE;
        if self.halted.is_some() {
            return self.again(Vec::new(), Questions::default());
        }
        self.judge_quiet(seen, now)
    }

    fn again(&self, orders: Vec<Order>, questions: Questions) -> Next {
        Next {
            orders,
            then: Then::Observe {
                within: self.pause,
                questions,
            },
        }
    }

    /// Nobody has moved since the last observation.
    fn judge_quiet(&mut self, seen: Observation, now: Duration) -> Next {
        let quiet = now.saturating_sub(self.last_move);
        let questions = self.questions(&seen.threads, quiet + self.pause);
        let mut orders = Vec::new();
        let answers = seen.answers;
        if !answers.cover(&self.questions(&seen.threads, quiet)) {
            return self.again(orders, questions);
        }
        if quiet > KILLED_QUIET {
            orders = self.killings(&seen.threads, &answers, quiet > KILLED_STARVES);
            if self.condemn(&orders) {
                self.last_move = now;
                return self.again(orders, questions);
            }
        }
        if quiet <= QUIET {
            return self.again(orders, questions);
        }
        let threads = self.without_the_dead(seen.threads, &answers, &mut orders);
        match judge(&threads, seen.output_turn, self.cut) {
            Verdict::GoOn if quiet < self.patience => self.again(orders, questions),
            Verdict::SkipOutput { to } => {
                orders.push(Order::SkipOutput { to });
                self.last_move = now;
                self.again(orders, questions)
            }
            Verdict::TraceEnds => Next {
                orders,
                then: Then::Over(End::Cut(threads)),
            },
            Verdict::GoOn | Verdict::Standstill => Next {
                orders,
                then: Then::Over(End::Different(Difference::Standstill, threads)),
            },
        }
    }

    /// What must be known to judge when nobody has moved for so long.
    fn questions(&self, threads: &[ThreadState], quiet: Duration) -> Questions {
        let mut questions = Questions::default();
        if quiet > KILLED_QUIET {
            let runs_on = |thread: &&ThreadState| thread.wait != Wait::End;
            questions.threads = self
                .done_and_killed(threads)
                .flat_map(|(_, own)| own.into_iter().filter(runs_on).map(|thread| thread.id))
                .collect();
        }
        if quiet > QUIET {
            let live = threads.iter().filter(|thread| thread.live);
            let processes: BTreeSet<_> = live.map(|thread| thread.process).collect();
            questions.processes = processes.into_iter().collect();
        }
        questions
    }

    /// Processes that a signal ended while recording and that have made all their events, with their live threads.
    fn done_and_killed<'a>(
        &self,
        threads: &'a [ThreadState],
    ) -> impl Iterator<Item = (ProcessId, Vec<&'a ThreadState>)> {
        let done =
            |thread: &&ThreadState| thread.wait == Wait::End || thread.events >= thread.promised;
        self.killed.keys().filter_map(move |id| {
            let own: Vec<&ThreadState> = threads
                .iter()
                .filter(|thread| thread.process == *id && thread.live)
                .collect();
            (!own.is_empty() && own.iter().all(done)).then_some((*id, own))
        })
    }

    /// Ends processes that have nothing left to do but run on without events. `regardless`: even if they had no time
    /// to run.
    fn killings(
        &mut self,
        threads: &[ThreadState],
        answers: &Answers,
        regardless: bool,
    ) -> Vec<Order> {
        let done: Vec<_> = self.done_and_killed(threads).collect();
        let mut orders = Vec::new();
        for (process, own) in done {
            let starves = own.iter().any(|thread| self.starves(thread, answers));
            let status = self.killed.get(&process);
            if let Some(status) = status.filter(|_| regardless || !starves) {
                // Whatever it made of the signal itself, it ends here as it did then.
                let wait_status = status.0;
                orders.push(Order::Kill {
                    process,
                    wait_status,
                });
            }
        }
        orders
    }

    /// Whether any of these is told to end for the first time: one that did not obey then cannot be ended by us.
    fn condemn(&mut self, orders: &[Order]) -> bool {
        let mut any = false;
        for order in orders {
            if let Order::Kill { process, .. } = order {
                any |= self.condemned.insert(*process);
            }
        }
        any
    }

    /// Whether a thread after its last event would run, and hardly could since it was first asked about.
    fn starves(&mut self, thread: &ThreadState, answers: &Answers) -> bool {
        let use_now = answers.threads.get(&thread.id).copied().flatten();
        let Some(use_now) = use_now.filter(|now| now.would_run && thread.wait != Wait::End) else {
            return false;
        };
        let first = *self.used.entry(thread.id).or_insert(use_now.time);
        use_now.time.saturating_sub(first) < KILLED_RUNS_ON
    }

    /// A process that died outside the runtime leaves its threads behind in the tables.
    fn without_the_dead(
        &mut self,
        mut threads: Vec<ThreadState>,
        answers: &Answers,
        orders: &mut Vec<Order>,
    ) -> Vec<ThreadState> {
        for (process, life) in &answers.processes {
            let Life::Died(wait_status) = life else {
                continue;
            };
            let mut any = false;
            for thread in &mut threads {
                if thread.process == *process && thread.live {
                    thread.live = false;
                    any = true;
                }
            }
            if !any {
                continue;
            }
            if let Some(status) = wait_status {
                self.ends.entry(*process).or_insert(*status);
            }
            orders.push(Order::TellEnd {
                process: *process,
                wait_status: self.ends.get(process).copied().unwrap_or(0),
            });
        }
        threads
    }
}

fn over(end: End) -> Next {
    Next {
        orders: Vec::new(),
        then: Then::Over(end),
    }
}

/// A number that changes whenever any thread has moved.
fn progress(threads: &[ThreadState]) -> u64 {
    threads.iter().fold(0, |sum: u64, thread| {
        // Threads that only take locks make no events, but wait for ever new runs.
        let waits = match thread.wait {
            Wait::No => 0,
            Wait::Sync { object, run } => u64::from(object) << 32 | u64::from(run),
            _ => 1,
        };
        sum.wrapping_mul(31)
            .wrapping_add(thread.events)
            .wrapping_add(waits << 1 | u64::from(thread.live))
    })
}
