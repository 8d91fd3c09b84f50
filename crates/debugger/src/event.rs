//! What happens without being the answer to a call, and who is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::view::{BarrierView, StopView, Who};

/// Something a front end may want to show at once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
// Stops are what events mostly are, and they are few: a box would only be in the way of who matches.
#[allow(clippy::large_enum_variant)]
pub enum Event {
    /// A stop, or the end of a process. It is told once; the method that met it returns the same view.
    Stopped(StopView),
    /// `[New process …]`: forked, vforked, spawned.
    NewProcess {
        who: Who,
        parent: Option<String>,
        how: String,
    },
    /// A process now runs another program (and may have a new name).
    Executed {
        who: Who,
        program: String,
        old_name: String,
    },
    /// `[New Thread …]`.
    NewThread { who: Who },
    /// `[Thread … exited]`.
    ThreadExited { who: Who },
    /// A signal that `handle` wants printed, not stopped at.
    Signal {
        who: Who,
        number: i32,
        name: String,
        meaning: String,
    },
    /// A `dprintf` line, without any frame.
    Output {
        who: Who,
        breakpoint: u32,
        text: String,
    },
    /// A pending breakpoint found its place, or lost it.
    BreakpointChanged { number: u32, places: u32 },
    /// Someone arrived at a barrier that is not complete.
    BarrierArrival { who: Who, barrier: BarrierView },
    /// A library came or went.
    Library {
        who: Who,
        path: String,
        loaded: bool,
    },
    /// Anything else worth a line: a watchpoint removed, a condition that cannot be evaluated.
    Message { text: String },
    /// No process of the replay lives any more.
    ReplayEnded {
        identical: bool,
        /// How it differed from the recording.
        difference: Option<String>,
        /// Exit status of the command as it was reproduced.
        status: i32,
        events: u64,
        threads: u64,
        processes: u64,
    },
    /// The connection to the agent ended; every process is gone from our hands.
    AgentLost { why: String },
}

/// Ends what [`crate::Debugger::on_event`] began.
///
/// Letting go of it ends nothing: who listens to the end of the session need not keep it.
#[derive(Clone, Debug)]
pub struct Listening {
    ended: Arc<AtomicBool>,
}

impl Listening {
    /// The listener hears nothing from now on. May be called from any thread, and from within a listener.
    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    fn is_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }
}

/// What a listener does with an event.
type Hear = Box<dyn FnMut(&Event) + Send>;

/// Those who are told what happens, in the order in which they came.
#[derive(Default)]
pub(crate) struct Listeners(Vec<(Listening, Hear)>);

impl Listeners {
    pub fn add(&mut self, listener: Hear) -> Listening {
        let listening = Listening {
            ended: Arc::default(),
        };
        self.0.push((listening.clone(), listener));
        listening
    }

    /// Tells everybody who still listens.
    pub fn tell(&mut self, event: &Event) {
        self.0.retain_mut(|(listening, listener)| {
            if !listening.is_ended() {
                listener(event);
            }
            !listening.is_ended()
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn everybody_hears_everything_until_they_end_it() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let mut listeners = Listeners::default();
        let mut listen = |name: &'static str| {
            let heard = heard.clone();
            listeners.add(Box::new(move |event| {
                if let Event::Message { text } = event {
                    let line = format!("{name} {text}");
                    heard.lock().expect("not poisoned").push(line);
                }
            }))
        };
        let (_prompt, page) = (listen("prompt"), listen("page"));
        let message = |text: &str| Event::Message {
            text: text.to_owned(),
        };
        listeners.tell(&message("1"));
        page.end();
        listeners.tell(&message("2"));
        let heard = heard.lock().expect("not poisoned");
        assert_eq!(*heard, ["prompt 1", "page 1", "prompt 2"]);
    }
}
