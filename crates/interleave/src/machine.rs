//! The machine that a model runs on: threads of which one runs at a time, memory with store buffers, sleepers.

use crate::choices::Choices;
use crate::state::{Limits, State, Status, Step, Virtual};
use crate::word::Word;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A run takes so many steps at most; more is a thread that waits for ever.
const MOST_STEPS: u32 = 200_000;

pub struct Machine {
    state: Mutex<State>,
    /// One for each thread.
    turns: Vec<Condvar>,
}

/// What ends a thread whose run has failed elsewhere.
struct Abandoned;

thread_local! {
    static CURRENT: RefCell<Option<(Arc<Machine>, usize)>> = const { RefCell::new(None) };
}

/// The machine that the calling thread runs on, and its number there.
pub fn current() -> Option<(Arc<Machine>, usize)> {
    CURRENT.with(|current| current.borrow().clone())
}

impl Machine {
    pub fn new(choices: Choices, limits: Limits, threads: usize) -> Machine {
        let idle = || Virtual {
            status: Status::Ready,
            buffer: VecDeque::new(),
            timed_out: false,
        };
        Machine {
            state: Mutex::new(State {
                choices,
                limits,
                threads: (0..threads).map(|_| idle()).collect(),
                running: usize::MAX,
                steps: 0,
                history: VecDeque::new(),
                failure: None,
            }),
            turns: (0..threads).map(|_| Condvar::new()).collect(),
        }
    }

    /// Runs `body` as the thread `me`.
    pub fn enter(self: &Arc<Machine>, me: usize, body: Box<dyn FnOnce() + Send>) {
        CURRENT.with(|current| *current.borrow_mut() = Some((Arc::clone(self), me)));
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            drop(self.wait(self.lock(), me));
            body();
        }));
        CURRENT.with(|current| *current.borrow_mut() = None);
        let mut state = self.lock();
        if let Err(payload) = outcome
            && !payload.is::<Abandoned>()
        {
            let text = payload
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
            state.fail(format!(
                "thread {me}: {}",
                text.unwrap_or_else(|| "panicked".to_string())
            ));
        }
        state.threads[me].status = Status::Done;
        self.next(&mut state);
    }

    /// Lets the first thread go; the others follow it.
    pub fn start(&self) {
        self.next(&mut self.lock());
    }

    /// What came of the run: the decisions that were made, or what failed.
    pub fn end(self) -> Result<Choices, String> {
        let mut state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        state.flush_all();
        match state.failure.take() {
            None => Ok(state.choices),
            Some(failure) => Err(state.report(&failure)),
        }
    }

    /// A step of thread `me` that others may be faster than.
    pub fn step<R>(&self, me: usize, step: Step, act: impl FnOnce(&mut Acting<'_>) -> R) -> R {
        let mut state = self.lock();
        state = self.decide(state, me);
        state.note(me, step);
        act(&mut Acting {
            state: &mut state,
            me,
        })
    }

    /// The thread has looked in vain, and lets others go on.
    pub fn look_again(&self, me: usize) {
        let mut state = self.lock();
        state.note(me, ("looks again", 0, 0));
        state.threads[me].status = Status::Looking;
        self.next(&mut state);
        drop(self.wait(state, me));
    }

    /// The thread sleeps if the word has that value; whether it was woken, rather than by time.
    pub fn sleep(&self, me: usize, word: Word, value: u64, bits: u32, timed: bool) -> Slept {
        let mut state = self.decide(self.lock(), me);
        state.flush(me);
        if word.load() != value {
            state.note(me, ("does not sleep", word.address(), word.load()));
            return Slept::NotAtAll;
        }
        state.note(me, ("sleeps", word.address(), value));
        state.threads[me].status = Status::Asleep {
            word: word.address(),
            bits,
            timed,
        };
        self.next(&mut state);
        state = self.wait(state, me);
        if std::mem::take(&mut state.threads[me].timed_out) {
            Slept::TooLong
        } else {
            Slept::UntilWoken
        }
    }

    /// Wakes as many sleepers; how many there were.
    pub fn wake(&self, me: usize, word: usize, bits: u32, most: usize) -> usize {
        self.step(me, ("wakes", word, most as u64), |acting| {
            let state = &mut *acting.state;
            state.flush(me);
            let mut woken = 0;
            while woken < most {
                let sleepers = state.those(|status| {
                    matches!(status, Status::Asleep { word: at, bits: own, .. } if at == word && own & bits != 0)
                });
                let Some(&who) = sleepers.get(state.choices.choose(sleepers.len())) else {
                    break;
                };
                state.threads[who].status = Status::Ready;
                woken += 1;
            }
            woken
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is the turn of `me`.
    fn wait<'a>(&'a self, mut state: MutexGuard<'a, State>, me: usize) -> MutexGuard<'a, State> {
        while state.running != me && state.failure.is_none() {
            state = self.turns[me]
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.failure.is_some() {
            drop(state);
            resume_unwind(Box::new(Abandoned));
        }
        state
    }

    /// Before a step of `me`: perhaps others go first.
    fn decide<'a>(&'a self, mut state: MutexGuard<'a, State>, me: usize) -> MutexGuard<'a, State> {
        state.steps += 1;
        if state.steps > MOST_STEPS {
            state.fail("somebody waits for ever, and looks again and again".to_string());
        }
        if state.failure.is_some() {
            self.tell_all();
            drop(state);
            resume_unwind(Box::new(Abandoned));
        }
        loop {
            let late = state.late();
            let others = match state.limits.preemptions {
                0 => Vec::new(),
                _ => state.others_ready(me),
            };
            let chosen = state.choices.choose(1 + late.len() + others.len());
            if chosen == 0 {
                return state;
            }
            if let Some(&who) = late.get(chosen - 1) {
                state.flush_oldest(who);
                continue;
            }
            state.limits.preemptions -= 1;
            state.running = others[chosen - 1 - late.len()];
            self.turns[state.running].notify_one();
            return self.wait(state, me);
        }
    }

    /// The running thread cannot go on: another one does.
    fn next(&self, state: &mut State) {
        if state.failure.is_some() {
            self.tell_all();
            return;
        }
        loop {
            let ready = state.those(|status| status == Status::Ready);
            if !ready.is_empty() {
                state.running = ready[state.choices.choose(ready.len())];
                self.turns[state.running].notify_one();
                return;
            }
            let late = state.late();
            if !late.is_empty() {
                let who = late[state.choices.choose(late.len())];
                state.flush_oldest(who);
                continue;
            }
            let looking = state.those(|status| status == Status::Looking);
            if !looking.is_empty() {
                state.wake_looking();
                continue;
            }
            let asleep = state.those(|status| status != Status::Done);
            if asleep.is_empty() {
                return;
            }
            let timed = state.those(|status| matches!(status, Status::Asleep { timed: true, .. }));
            if timed.is_empty() || !state.limits.time_outs {
                state.fail(format!("threads {asleep:?} sleep, and nobody wakes them"));
                self.tell_all();
                return;
            }
            let who = timed[state.choices.choose(timed.len())];
            state.threads[who].timed_out = true;
            state.threads[who].status = Status::Ready;
        }
    }

    fn tell_all(&self) {
        for turn in &self.turns {
            turn.notify_one();
        }
    }
}

/// How a sleep ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Slept {
    NotAtAll,
    UntilWoken,
    TooLong,
}

/// A thread within a step.
pub struct Acting<'a> {
    state: &'a mut State,
    me: usize,
}

impl Acting<'_> {
    /// What the thread sees in a word: its own last store, or memory.
    pub fn load(&self, word: Word) -> u64 {
        let own = &self.state.threads[self.me].buffer;
        let stored = own
            .iter()
            .rev()
            .find(|(at, _)| at.address() == word.address());
        stored.map_or_else(|| word.load(), |(_, value)| *value)
    }

    /// A plain store, which may be late.
    pub fn store(&mut self, word: Word, value: u64) {
        let state = &mut *self.state;
        let own_are_late = !state.threads[self.me].buffer.is_empty();
        let is_late = own_are_late
            || state.limits.late_stores > 0 && {
                let late = state.choices.choose(2) == 1;
                state.limits.late_stores -= u32::from(late);
                late
            };
        if is_late {
            state.threads[self.me].buffer.push_back((word, value));
        } else {
            word.store(value);
            state.wake_looking();
        }
    }

    /// Reads and writes at once; `None` writes nothing.
    pub fn exchange(&mut self, word: Word, with: impl FnOnce(u64) -> Option<u64>) -> u64 {
        self.state.flush(self.me);
        let found = word.load();
        if let Some(value) = with(found) {
            word.store(value);
            self.state.wake_looking();
        }
        found
    }

    /// All stores of this thread come before whatever follows.
    pub fn flush(&mut self) {
        self.state.flush(self.me);
    }

    /// The same for all threads.
    pub fn flush_all(&mut self) {
        self.state.flush_all();
    }
}
