//! What a machine is at one moment: its threads, their store buffers, and the steps that led here.

use crate::choices::Choices;
use crate::word::Word;
use std::collections::VecDeque;
use std::fmt::Write as _;

/// What a run may do.
#[derive(Clone, Copy)]
pub struct Limits {
    /// How often a thread that could go on is left for another one.
    pub preemptions: u32,
    /// How many stores stay in the store buffer.
    pub late_stores: u32,
    /// Sleepers may wake because their time is over. If not, a sleeper that nobody wakes is an error.
    pub time_outs: bool,
}

/// Of a run that failed so many steps are told.
const TOLD: usize = 60;

pub struct State {
    pub choices: Choices,
    pub limits: Limits,
    pub threads: Vec<Virtual>,
    pub running: usize,
    pub steps: u32,
    pub history: VecDeque<(usize, Step)>,
    pub failure: Option<String>,
}

pub struct Virtual {
    pub status: Status,
    pub buffer: VecDeque<(Word, u64)>,
    pub timed_out: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ready,
    /// It looks again and again; the next look is of use when something was written.
    Looking,
    Asleep {
        word: usize,
        bits: u32,
        timed: bool,
    },
    Done,
}

/// One step, for the report.
pub type Step = (&'static str, usize, u64);

impl State {
    pub fn those(&self, which: impl Fn(Status) -> bool) -> Vec<usize> {
        let numbered = self.threads.iter().enumerate();
        numbered
            .filter_map(|(number, thread)| which(thread.status).then_some(number))
            .collect()
    }

    pub fn others_ready(&self, me: usize) -> Vec<usize> {
        let mut ready = self.those(|status| status == Status::Ready);
        ready.retain(|number| *number != me);
        ready
    }

    /// Threads with stores that are late.
    pub fn late(&self) -> Vec<usize> {
        let numbered = self.threads.iter().enumerate();
        numbered
            .filter_map(|(number, thread)| (!thread.buffer.is_empty()).then_some(number))
            .collect()
    }

    pub fn flush_oldest(&mut self, who: usize) {
        if let Some((word, value)) = self.threads[who].buffer.pop_front() {
            self.note(who, ("store arrives", word.address(), value));
            word.store(value);
            self.wake_looking();
        }
    }

    pub fn flush(&mut self, who: usize) {
        while !self.threads[who].buffer.is_empty() {
            self.flush_oldest(who);
        }
    }

    pub fn flush_all(&mut self) {
        for who in 0..self.threads.len() {
            self.flush(who);
        }
    }

    /// Something was written: whoever looks may see it.
    pub fn wake_looking(&mut self) {
        for thread in &mut self.threads {
            if thread.status == Status::Looking {
                thread.status = Status::Ready;
            }
        }
    }

    pub fn fail(&mut self, what: String) {
        self.failure.get_or_insert(what);
    }

    pub fn note(&mut self, who: usize, step: Step) {
        if self.history.len() == TOLD {
            self.history.pop_front();
        }
        self.history.push_back((who, step));
    }

    pub fn report(&self, failure: &str) -> String {
        let mut text = format!("{failure}\nthe last steps:\n");
        for (who, (what, address, value)) in &self.history {
            let _ = writeln!(text, "  thread {who} {what} {address:#x} {value:#x}");
        }
        text
    }
}
