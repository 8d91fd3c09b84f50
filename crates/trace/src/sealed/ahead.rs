//! Things that are made ahead of their use, side by side, and taken in order.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What the workers and the user of their results share.
struct Shelf<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    /// `None`: the thread that was to make it panicked.
    made: HashMap<usize, Option<T>>,
    /// The next one that is not being made yet.
    next: usize,
    /// Results below this one are not needed any more.
    used: usize,
    /// Nothing will be taken any more.
    over: bool,
}

/// Results for `0..count`, held for the thread that takes them.
pub(super) struct Results<'a, T> {
    shelf: &'a Shelf<T>,
    count: usize,
}

/// Lets `workers` threads call `make` for `0..count`, at most twice as many ahead of what `take` has asked for.
pub(super) fn made_ahead<T: Send, R>(
    count: usize,
    workers: usize,
    make: impl Fn(usize) -> T + Sync,
    take: impl FnOnce(&Results<'_, T>) -> R,
) -> R {
    let shelf = Shelf {
        state: Mutex::new(State {
            made: HashMap::new(),
            next: 0,
            used: 0,
            over: false,
        }),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 0..workers.min(count) {
            scope.spawn(|| shelf.work(count, 2 * workers, &make));
        }
        let results = Results {
            shelf: &shelf,
            count,
        };
        take(&results)
    })
}

impl<T> Shelf<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, count: usize, ahead: usize, make: &(impl Fn(usize) -> T + Sync)) {
        loop {
            let mut state = self.lock();
            while !state.over && state.next < count && state.next >= state.used + ahead {
                state = self.wait(state);
            }
            if state.over || state.next >= count {
                return;
            }
            let index = state.next;
            state.next += 1;
            drop(state);
            let mut delivery = Delivery {
                shelf: self,
                index,
                result: None,
            };
            delivery.result = Some(make(index));
        }
    }
}

/// Puts a result onto the shelf when it goes out of scope, also by a panic: no thread must wait for what never comes.
struct Delivery<'a, T> {
    shelf: &'a Shelf<T>,
    index: usize,
    result: Option<T>,
}

impl<T> Drop for Delivery<'_, T> {
    fn drop(&mut self) {
        self.shelf
            .lock()
            .made
            .insert(self.index, self.result.take());
        self.shelf.changed.notify_all();
    }
}

impl<T> Results<'_, T> {
    /// The result number `index`; to be asked for in order, each once. `None`: there is no such one, or its maker
    /// panicked, which the end of the scope of all makers passes on.
    pub(super) fn take(&self, index: usize) -> Option<T> {
        if index >= self.count {
            return None;
        }
        let mut state = self.shelf.lock();
        state.used = index;
        self.shelf.changed.notify_all();
        loop {
            if let Some(result) = state.made.remove(&index) {
                return result;
            }
            state = self.shelf.wait(state);
        }
    }
}

impl<T> Drop for Results<'_, T> {
    fn drop(&mut self) {
        self.shelf.lock().over = true;
        self.shelf.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::made_ahead;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_come_in_order_however_long_each_takes() {
        for workers in [1, 2, 7] {
            let slow = |index: usize| {
                std::thread::sleep(std::time::Duration::from_micros(
                    (index * 37 % 11) as u64 * 100,
                ));
                index * 3
            };
            let taken = made_ahead(50, workers, slow, |results| {
                (0..51).map(|index| results.take(index)).collect::<Vec<_>>()
            });
            let mut expected: Vec<_> = (0..50).map(|index| Some(index * 3)).collect();
            expected.push(None);
            assert_eq!(taken, expected);
        }
    }

    #[test]
    fn nobody_waits_for_a_result_whose_maker_panicked() {
        let make = |index: usize| {
            assert_ne!(index, 3, "the maker's own panic");
            index
        };
        let taken = std::sync::Mutex::new(Vec::new());
        let outcome = std::panic::catch_unwind(|| {
            made_ahead(5, 2, make, |results| {
                for index in 0..5 {
                    taken.lock().unwrap().push(results.take(index));
                    if index == 3 {
                        break;
                    }
                }
            });
        });
        assert!(outcome.is_err(), "the panic was swallowed");
        let taken = taken.into_inner().unwrap();
        assert_eq!(taken, [Some(0), Some(1), Some(2), None]);
    }

    #[test]
    fn nobody_works_far_ahead_or_after_the_end() {
        let made = AtomicUsize::new(0);
        let make = |_: usize| made.fetch_add(1, Ordering::Relaxed);
        let taken = made_ahead(1000, 2, make, |results| results.take(0).is_some());
        assert!(taken);
        assert!(made.load(Ordering::Relaxed) <= 4 + 2, "{made:?} were made");
    }
}
