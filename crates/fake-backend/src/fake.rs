//! The fake as its test sees it: a world, a script, and what was asked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wayfarer_backend::{Answer, Event, Failure, FailureKind, Listener};

use crate::request::{Call, Request};
use crate::world::World;

/// What happens at a request.
enum Turn {
    /// It is refused.
    Refuse(Failure),
    /// The back end goes.
    Lose(String),
    /// It is carried out, and then this.
    Then(Box<dyn FnOnce(&mut World) + Send>),
}

/// A back end without processes.
pub struct Fake {
    listener: Arc<dyn Listener>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    world: World,
    script: BTreeMap<Call, VecDeque<Turn>>,
    requests: Vec<Request>,
    sequence: u64,
    lost: bool,
}

impl Fake {
    /// An empty world. The listener hears what happens in it.
    pub fn new(listener: Arc<dyn Listener>) -> Arc<Fake> {
        Arc::new(Fake {
            listener,
            state: Mutex::default(),
        })
    }

    /// Makes something happen now, or looks at the world.
    pub fn act<T>(&self, what: impl FnOnce(&mut World) -> T) -> T {
        let mut state = self.state();
        let result = what(&mut state.world);
        self.tell(&mut state);
        result
    }

    /// The next request of this kind is carried out, and then this happens, before it is answered.
    pub fn then(&self, call: Call, what: impl FnOnce(&mut World) + Send + 'static) {
        self.plan(call, Turn::Then(Box::new(what)));
    }

    /// The next request of this kind is not carried out but fails.
    pub fn refuse(&self, call: Call, failure: Failure) {
        self.plan(call, Turn::Refuse(failure));
    }

    /// The back end goes in the midst of the next request of this kind.
    pub fn lose_at(&self, call: Call, why: &str) {
        self.plan(call, Turn::Lose(why.to_owned()));
    }

    /// The back end goes now.
    pub fn lose(&self, why: &str) {
        self.state().lost = true;
        self.listener.lost(why);
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    /// The requests that were made since this was called last.
    pub fn news(&self) -> Vec<Request> {
        std::mem::take(&mut self.state().requests)
    }

    /// Whether everything that the script says has happened.
    pub fn is_over(&self) -> bool {
        self.state().script.values().all(VecDeque::is_empty)
    }

    fn plan(&self, call: Call, turn: Turn) {
        self.state().script.entry(call).or_default().push_back(turn);
    }

    /// Carries a request out, or does with it what the script says.
    pub(crate) fn answer<T>(
        &self,
        request: Request,
        carry_out: impl FnOnce(&mut World) -> Answer<T>,
    ) -> Answer<T> {
        let mut state = self.state();
        if state.lost {
            return Err(lost("it has gone"));
        }
        let turns = state.script.get_mut(&request.call());
        let turn = turns.and_then(VecDeque::pop_front);
        state.requests.push(request);
        match turn {
            Some(Turn::Refuse(failure)) => Err(failure),
            Some(Turn::Lose(why)) => {
                state.lost = true;
                self.listener.lost(&why);
                Err(lost(&why))
            }
            turn => {
                let answer = carry_out(&mut state.world);
                if let Some(Turn::Then(what)) = turn {
                    what(&mut state.world);
                }
                self.tell(&mut state);
                answer
            }
        }
    }

    fn tell(&self, state: &mut State) {
        for kind in std::mem::take(&mut state.world.happened) {
            state.sequence += 1;
            self.listener.happened(Event {
                sequence: state.sequence,
                time_ns: state.sequence,
                kind,
            });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lost(why: &str) -> Failure {
    Failure::new(FailureKind::Lost, why)
}
