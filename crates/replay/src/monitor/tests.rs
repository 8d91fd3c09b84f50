//! Invented replays on invented clocks.

use std::collections::BTreeMap;
use std::time::Duration;

use wayfarer_model::{ObjectId, ProcessId, ThreadId, WaitStatus};

use super::{End, Monitor, Next, Order, Then};
use crate::divergence::Difference;
use crate::observed::{
    Answers, Life, Met, Observation, ProcessorUse, Questions, ThreadState, Wait,
};

const SECOND: Duration = Duration::from_secs(1);
const STREAM: Wait = Wait::Stream {
    object: ObjectId(3),
    direction: 0,
    writer: None,
};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn thread(id: u32, wait: Wait) -> ThreadState {
    ThreadState {
        id: ThreadId(id),
        process: ProcessId(1),
        live: true,
        events: 3,
        promised: 10,
        wait,
    }
}

/// A thread that has made all its events and runs on.
fn done(id: u32) -> ThreadState {
    ThreadState {
        events: 10,
        ..thread(id, Wait::No)
    }
}

/// A monitor, and what it is shown: the same threads again and again, unless a test changes them.
struct Scene {
    monitor: Monitor,
    now: Duration,
    threads: Vec<ThreadState>,
    /// How the kernel would answer.
    life: Life,
    used: Option<ProcessorUse>,
    /// What the monitor wants next.
    pause: Duration,
    questions: Questions,
}

impl Scene {
    fn new(threads: &[ThreadState]) -> Scene {
        Scene::with(threads, false, &[])
    }

    /// `killed`: processes that SIGKILL ended while recording.
    fn with(threads: &[ThreadState], cut: bool, killed: &[u32]) -> Scene {
        let killed = killed
            .iter()
            .map(|id| (ProcessId(*id), WaitStatus::killed(9)));
        Scene {
            monitor: Monitor::with(killed.collect(), cut, Some(SECOND), Duration::ZERO),
            now: Duration::ZERO,
            threads: threads.to_vec(),
            life: Life::Lives,
            used: None,
            pause: ms(1),
            questions: Questions::default(),
        }
    }

    fn seen(&self, questions: &Questions) -> Observation {
        let processes = questions.processes.iter().map(|id| (*id, self.life));
        let threads = questions.threads.iter().map(|id| (*id, self.used));
        Observation {
            anybody_left: true,
            met: None,
            threads: self.threads.clone(),
            output_turn: 5,
            answers: Answers {
                processes: processes.collect(),
                threads: threads.collect(),
            },
        }
    }

    /// Observes as often as the monitor wants it until it has an order or a verdict, for so long at most.
    fn run_for(&mut self, limit: Duration) -> Option<Next> {
        let end = self.now + limit;
        while self.now + self.pause <= end {
            self.now += self.pause;
            let next = self.monitor.observe(self.seen(&self.questions), self.now);
            if let Then::Observe { within, questions } = &next.then {
                (self.pause, self.questions) = (*within, questions.clone());
            }
            if !next.orders.is_empty() || matches!(next.then, Then::Over(_)) {
                return Some(next);
            }
        }
        self.now = end;
        None
    }

    fn orders(&mut self, limit: Duration) -> Vec<Order> {
        self.run_for(limit).map_or(Vec::new(), |next| next.orders)
    }

    fn end(&mut self, limit: Duration) -> Option<End> {
        match self.run_for(limit)?.then {
            Then::Over(end) => Some(end),
            Then::Observe { .. } => None,
        }
    }
}

fn is_standstill(end: Option<End>) -> bool {
    matches!(end, Some(End::Different(Difference::Standstill, _)))
}

const KILL: Order = Order::Kill {
    process: ProcessId(1),
    wait_status: 9,
};

#[test]
fn it_is_over_when_nobody_is_left() {
    let mut scene = Scene::new(&[thread(1, Wait::No)]);
    let seen = Observation {
        anybody_left: false,
        ..scene.seen(&Questions::default())
    };
    let next = scene.monitor.observe(seen, ms(1));
    assert_eq!(next.then, Then::Over(End::AllGone));
    scene.monitor.ended(ProcessId(1), 0x300);
    assert_eq!(
        *scene.monitor.ends(),
        BTreeMap::from([(ProcessId(1), 0x300)])
    );
}

#[test]
fn a_divergence_ends_it_even_when_halted_or_gone() {
    let met = Met {
        kind: 1,
        process: ProcessId(1),
        thread: ThreadId(1),
        event: 4,
        promised_tag: 0,
        promised_check: 0,
        promised_number: 0,
        promised_result: 0,
        came_number: 1,
        came_check: 0,
        came_arguments: [0; 6],
        detail: [0; 4],
        text: String::new(),
    };
    let mut scene = Scene::new(&[thread(1, Wait::Stopped)]);
    scene.monitor.halted(ms(0));
    let seen = Observation {
        anybody_left: false,
        met: Some(met.clone()),
        ..scene.seen(&Questions::default())
    };
    let different = Difference::Met(Box::new(met));
    let end = End::Different(different, scene.threads.clone());
    assert_eq!(scene.monitor.observe(seen, ms(1)).then, Then::Over(end));
}

#[test]
fn everybody_waiting_is_a_standstill_after_a_second() {
    let mut scene = Scene::new(&[thread(1, STREAM), thread(2, Wait::Turn(7))]);
    assert_eq!(scene.run_for(ms(990)), None);
    assert!(is_standstill(scene.end(ms(100))));
}

#[test]
fn a_thread_that_gets_on_slowly_is_waited_for() {
    let mut scene = Scene::new(&[
        thread(1, STREAM),
        thread(2, Wait::Sync { object: 4, run: 0 }),
    ]);
    for run in 1..100 {
        // No event for longer and longer, but it waits for another run of the lock each time.
        scene.threads[1].wait = Wait::Sync { object: 4, run };
        assert_eq!(scene.run_for(ms(980)), None, "run {run}");
    }
    assert!(is_standstill(scene.end(2 * SECOND)));
}

#[test]
fn a_thread_that_computes_is_given_the_time_of_the_recording_and_more() {
    let mut scene = Scene::new(&[thread(1, Wait::No)]);
    // 15 s, and three times the second that the recording took.
    assert_eq!(scene.run_for(17 * SECOND), None);
    assert!(is_standstill(scene.end(2 * SECOND)));
}

#[test]
fn pauses_grow_while_it_moves_and_are_longest_when_it_does_not() {
    let mut scene = Scene::new(&[thread(1, Wait::No)]);
    let mut pauses = Vec::new();
    for events in [1, 2, 3, 4, 5, 6, 6] {
        scene.threads[0].events = events;
        let seen = scene.seen(&Questions::default());
        scene.now += ms(1);
        if let Then::Observe { within, .. } = scene.monitor.observe(seen, scene.now).then {
            pauses.push(within.as_millis());
        }
    }
    assert_eq!(pauses, [2, 4, 8, 16, 20, 20, 20]);
}

#[test]
fn no_standstill_is_called_while_halted() {
    let mut scene = Scene::new(&[thread(1, STREAM)]);
    scene.run_for(ms(600));
    scene.monitor.halted(scene.now);
    assert_eq!(scene.run_for(3600 * SECOND), None);
    // Told twice, it counts from the first time.
    scene.monitor.halted(scene.now);
    scene.monitor.resumed(scene.now);
    // 600 ms of quiet were there before.
    assert_eq!(scene.run_for(ms(380)), None);
    assert!(is_standstill(scene.end(ms(60))));
}

#[test]
fn a_thread_that_moved_in_a_halt_is_quiet_only_from_its_end_on() {
    let mut scene = Scene::new(&[thread(1, STREAM)]);
    scene.run_for(ms(600));
    scene.monitor.halted(scene.now);
    scene.run_for(ms(100));
    scene.threads[0].events += 1;
    scene.run_for(100 * SECOND);
    scene.monitor.resumed(scene.now);
    assert_eq!(scene.run_for(ms(980)), None);
    assert!(is_standstill(scene.end(ms(60))));
}

#[test]
fn resuming_what_was_not_halted_changes_nothing() {
    let mut scene = Scene::new(&[thread(1, STREAM)]);
    scene.run_for(ms(900));
    scene.monitor.resumed(scene.now);
    assert!(is_standstill(scene.end(ms(150))));
}

#[test]
fn a_killed_process_runs_on_for_a_moment_only() {
    let mut scene = Scene::with(&[done(1), thread(2, Wait::End)], false, &[1]);
    assert_eq!(scene.run_for(ms(180)), None);
    assert_eq!(scene.orders(ms(60)), [KILL]);
}

#[test]
fn a_killed_process_that_has_events_left_is_not_killed() {
    let mut scene = Scene::with(&[done(1), thread(2, Wait::No)], false, &[1]);
    assert_eq!(scene.run_for(5 * SECOND), None);
    let mut other = Scene::with(&[done(1)], false, &[2]);
    assert_eq!(other.run_for(5 * SECOND), None);
}

#[test]
fn a_killed_process_that_starves_gets_its_time_first() {
    let mut scene = Scene::with(&[done(1)], false, &[1]);
    let mut used = ProcessorUse {
        time: ms(70),
        would_run: true,
    };
    scene.used = Some(used);
    assert_eq!(scene.run_for(5 * SECOND), None);
    used.time += ms(9);
    scene.used = Some(used);
    assert_eq!(scene.run_for(SECOND), None);
    used.time += ms(1);
    scene.used = Some(used);
    assert_eq!(scene.orders(ms(60)), [KILL]);
}

#[test]
fn a_killed_process_that_sleeps_or_starves_for_long_is_killed() {
    let mut asleep = Scene::with(&[done(1)], false, &[1]);
    asleep.used = Some(ProcessorUse {
        time: ms(70),
        would_run: false,
    });
    assert_eq!(asleep.orders(ms(240)), [KILL]);
    let mut starving = Scene::with(&[done(1)], false, &[1]);
    starving.used = Some(ProcessorUse {
        time: ms(70),
        would_run: true,
    });
    assert_eq!(starving.run_for(10 * SECOND), None);
    assert_eq!(starving.orders(ms(60)), [KILL]);
}

#[test]
fn nobody_is_killed_before_the_questions_are_answered() {
    let mut scene = Scene::with(&[done(1)], false, &[1]);
    scene
        .monitor
        .observe(scene.seen(&Questions::default()), ms(1));
    // The machine was busy: the next observation comes late, and nobody had asked by then.
    let next = scene
        .monitor
        .observe(scene.seen(&Questions::default()), 30 * SECOND);
    let asked = Questions {
        processes: vec![ProcessId(1)],
        threads: vec![ThreadId(1)],
    };
    assert!(next.orders.is_empty());
    assert!(matches!(next.then, Then::Observe { questions, .. } if questions == asked));
}

#[test]
fn a_process_that_cannot_be_killed_does_not_put_the_standstill_off_for_ever() {
    let killed = ThreadState {
        wait: Wait::End,
        ..done(1)
    };
    let mut scene = Scene::with(&[killed], false, &[1]);
    assert_eq!(scene.orders(ms(300)), [KILL]);
    // Asked for again and again, without effect, until it is judged all the same.
    let mut ended = None;
    for _ in 0..100 {
        ended = ended.or(scene.end(SECOND));
    }
    assert!(is_standstill(ended));
}

#[test]
fn threads_of_a_process_that_died_unseen_do_not_count() {
    let other = ThreadState {
        process: ProcessId(2),
        ..thread(2, Wait::Child(ProcessId(1)))
    };
    let mut scene = Scene::new(&[thread(1, Wait::No), other]);
    scene.monitor.ended(ProcessId(2), 0);
    scene.run_for(ms(900));
    scene.threads[1].live = false;
    scene.life = Life::Died(Some(0x8b));
    let told = Order::TellEnd {
        process: ProcessId(1),
        wait_status: 0x8b,
    };
    assert_eq!(scene.orders(2 * SECOND), [told]);
    assert_eq!(scene.monitor.ends()[&ProcessId(1)], 0x8b);
}

#[test]
fn an_end_that_was_reported_is_not_overruled() {
    let mut scene = Scene::new(&[thread(1, STREAM)]);
    scene.monitor.ended(ProcessId(1), 9);
    scene.life = Life::Died(None);
    let told = Order::TellEnd {
        process: ProcessId(1),
        wait_status: 9,
    };
    assert_eq!(scene.orders(2 * SECOND), [told]);
    assert_eq!(scene.monitor.ends()[&ProcessId(1)], 9);
}

#[test]
fn a_write_whose_turn_cannot_come_is_skipped_to() {
    let mut scene = Scene::new(&[thread(1, Wait::Output(9)), thread(2, Wait::Output(7))]);
    assert_eq!(scene.orders(2 * SECOND), [Order::SkipOutput { to: 7 }]);
    // That counts as a move.
    assert_eq!(scene.run_for(ms(990)), None);
}

#[test]
fn a_cut_trace_ends_where_everybody_waits() {
    let mut scene = Scene::with(&[thread(1, STREAM), done(2)], true, &[]);
    let threads = scene.threads.clone();
    assert_eq!(scene.end(2 * SECOND), Some(End::Cut(threads)));
}
