//! Runs a model again and again, each time with other decisions.

use crate::choices::Choices;
use crate::machine::Machine;
use crate::state::Limits;
use std::sync::Arc;

/// What a run is made of. It is built anew for each run, and must come out the same.
pub struct Model {
    threads: Vec<Box<dyn FnOnce() + Send>>,
    check: Box<dyn FnOnce()>,
}

impl Model {
    /// `check` runs when all threads are done.
    pub fn new(check: impl FnOnce() + 'static) -> Model {
        Model {
            threads: Vec::new(),
            check: Box::new(check),
        }
    }

    #[must_use]
    pub fn thread(mut self, body: impl FnOnce() + Send + 'static) -> Model {
        self.threads.push(Box::new(body));
        self
    }
}

/// How a model is explored.
#[derive(Clone, Copy)]
pub struct Explorer {
    limits: Limits,
    /// Runs with drawn decisions; `None`: every list of decisions within the limits.
    draws: Option<u64>,
}

/// What an exploration has seen.
#[derive(Clone, Copy, Debug)]
pub struct Explored {
    pub runs: u64,
}

impl Explorer {
    /// Every list of decisions with at most so many preemptions.
    pub fn every(preemptions: u32) -> Explorer {
        Explorer {
            limits: Limits {
                preemptions,
                late_stores: 0,
                time_outs: false,
            },
            draws: None,
        }
    }

    /// So many runs with drawn decisions and no limit to the number of preemptions.
    pub fn random(runs: u64) -> Explorer {
        Explorer {
            limits: Limits {
                preemptions: u32::MAX,
                late_stores: 0,
                time_outs: false,
            },
            draws: Some(runs),
        }
    }

    /// So many stores of a run may stay in the store buffer, with all that the thread stores meanwhile.
    #[must_use]
    pub fn late_stores(mut self, most: u32) -> Explorer {
        self.limits.late_stores = most;
        self
    }

    /// Sleepers may wake because their time is over.
    #[must_use]
    pub fn with_time_outs(mut self) -> Explorer {
        self.limits.time_outs = true;
        self
    }

    /// Explores; panics with a report of the first run that fails.
    pub fn run(self, build: impl FnMut() -> Model) -> Explored {
        match self.try_run(build) {
            Ok(explored) => explored,
            Err(report) => panic!("{report}"),
        }
    }

    /// The same; gives the report.
    pub fn try_run(self, mut build: impl FnMut() -> Model) -> Result<Explored, String> {
        let mut runs = 0;
        let mut choices = match self.draws {
            None => Choices::first(),
            Some(_) => Choices::drawn(1),
        };
        loop {
            runs += 1;
            let made = once(self.limits, choices, build())
                .map_err(|report| format!("run {runs}: {report}"))?;
            choices = match self.draws {
                None => match made.next() {
                    Some(next) => next,
                    None => {
                        eprintln!("RUNS {runs}");
                        return Ok(Explored { runs });
                    }
                },
                Some(most) if runs < most => Choices::drawn(runs + 1),
                Some(_) => return Ok(Explored { runs }),
            };
        }
    }
}

fn once(limits: Limits, choices: Choices, model: Model) -> Result<Choices, String> {
    let machine = Arc::new(Machine::new(choices, limits, model.threads.len()));
    std::thread::scope(|scope| {
        for (number, body) in model.threads.into_iter().enumerate() {
            let machine = &machine;
            scope.spawn(move || machine.enter(number, body));
        }
        machine.start();
    });
    let machine = Arc::into_inner(machine).ok_or("a thread has outlived its run")?;
    let made = machine.end()?;
    (model.check)();
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::{AtomicU32, Ordering, fence, spin_loop};
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    use wayfarer_calls::Number;
    use wayfarer_calls::futex::{WAIT, WAKE};

    /// Two threads; what both give, of all runs.
    fn outcomes(
        explorer: Explorer,
        first: fn(&[AtomicU32; 2]) -> u32,
        second: fn(&[AtomicU32; 2]) -> u32,
    ) -> BTreeSet<(u32, u32)> {
        let seen: Arc<Mutex<BTreeSet<(u32, u32)>>> = Arc::default();
        explorer.run(|| {
            let words = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
            let given = Arc::new(Mutex::new([0, 0]));
            let (seen, end) = (Arc::clone(&seen), Arc::clone(&given));
            let body = |index: usize, body: fn(&[AtomicU32; 2]) -> u32| {
                let (words, given) = (Arc::clone(&words), Arc::clone(&given));
                move || given.lock().unwrap()[index] = body(&words)
            };
            Model::new(move || {
                let given = end.lock().unwrap();
                seen.lock().unwrap().insert((given[0], given[1]));
            })
            .thread(body(0, first))
            .thread(body(1, second))
        });
        let seen = seen.lock().unwrap();
        seen.clone()
    }

    fn write_first(words: &[AtomicU32; 2]) -> u32 {
        words[0].store(1, Ordering::Relaxed);
        words[1].load(Ordering::Relaxed)
    }

    fn write_second(words: &[AtomicU32; 2]) -> u32 {
        words[1].store(1, Ordering::Relaxed);
        words[0].load(Ordering::Relaxed)
    }

    #[test]
    fn stores_may_be_late() {
        let plain = outcomes(Explorer::every(2), write_first, write_second);
        assert_eq!(plain, BTreeSet::from([(0, 1), (1, 0), (1, 1)]));
        let late = outcomes(Explorer::every(2).late_stores(2), write_first, write_second);
        assert_eq!(late, BTreeSet::from([(0, 0), (0, 1), (1, 0), (1, 1)]));
    }

    #[test]
    fn a_fence_makes_them_come_in_time() {
        let fenced = outcomes(
            Explorer::every(2).late_stores(2),
            |words| {
                words[0].store(1, Ordering::Relaxed);
                fence(Ordering::SeqCst);
                words[1].load(Ordering::Relaxed)
            },
            |words| {
                words[1].store(1, Ordering::Relaxed);
                fence(Ordering::SeqCst);
                words[0].load(Ordering::Relaxed)
            },
        );
        assert!(!fenced.contains(&(0, 0)));
    }

    #[test]
    fn stores_keep_their_order() {
        let seen = outcomes(
            Explorer::every(2).late_stores(2),
            |words| {
                words[0].store(1, Ordering::Relaxed);
                words[1].store(1, Ordering::Relaxed);
                0
            },
            |words| {
                let flag = words[1].load(Ordering::Relaxed);
                flag * 2 + words[0].load(Ordering::Relaxed)
            },
        );
        assert_eq!(seen, BTreeSet::from([(0, 0), (0, 1), (0, 3)]));
    }

    fn add_in_two_steps(words: &[AtomicU32; 2]) -> u32 {
        let found = words[0].load(Ordering::Relaxed);
        words[0].store(found + 1, Ordering::Relaxed);
        0
    }

    #[test]
    fn an_update_is_lost_where_it_can_be() {
        let lost: Arc<Mutex<BTreeSet<u32>>> = Arc::default();
        Explorer::every(1).run(|| {
            let words = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
            let (lost, end) = (Arc::clone(&lost), Arc::clone(&words));
            let (first, second) = (Arc::clone(&words), Arc::clone(&words));
            Model::new(move || {
                lost.lock().unwrap().insert(end[0].load(Ordering::Relaxed));
            })
            .thread(move || {
                add_in_two_steps(&first);
            })
            .thread(move || {
                add_in_two_steps(&second);
            })
        });
        assert_eq!(*lost.lock().unwrap(), BTreeSet::from([1, 2]));
    }

    /// One waits for a word that the other one writes, asleep; the writer may forget to wake it.
    fn hand_over(forgets: bool) -> Result<Explored, String> {
        use crate::kernel;
        Explorer::every(2).try_run(|| {
            let word = Arc::new(AtomicU32::new(0));
            let (waiter, writer) = (Arc::clone(&word), word);
            Model::new(|| {})
                .thread(move || {
                    while waiter.load(Ordering::Acquire) == 0 {
                        let address = (&raw const *waiter) as usize;
                        kernel::call(Number::FUTEX, [address, WAIT, 0, 0, 0, 0]);
                    }
                })
                .thread(move || {
                    writer.store(1, Ordering::Release);
                    if !forgets {
                        let address = (&raw const *writer) as usize;
                        kernel::call(Number::FUTEX, [address, WAKE, 1, 0, 0, 0]);
                    }
                })
        })
    }

    #[test]
    fn a_lost_wake_up_is_found() {
        assert!(hand_over(false).is_ok());
        let report = hand_over(true).unwrap_err();
        assert!(report.contains("nobody wakes them"), "{report}");
    }

    #[test]
    fn who_looks_again_and_again_lets_others_go_on() {
        let seen = outcomes(
            Explorer::every(2),
            |words| {
                while words[0].load(Ordering::Acquire) == 0 {
                    spin_loop();
                }
                1
            },
            |words| {
                words[0].store(1, Ordering::Release);
                2
            },
        );
        assert_eq!(seen, BTreeSet::from([(1, 2)]));
    }
}
