//! The facade: one object that a front end drives from one thread at a time.

mod at;
mod barriers;
mod breakpoints;
mod calls;
mod catchpoints;
mod code;
mod conditions;
mod counts;
mod deaths;
mod disassembly;
mod displays;
mod ending;
mod events;
mod frames;
mod hands;
mod leaps;
mod line_steps;
mod locations;
mod memory_view;
mod messages;
mod patterns;
mod placement;
mod population;
mod positions;
mod processes;
mod registers;
mod reverse;
mod routing;
mod running;
mod rust_debug;
mod search;
mod settings;
mod signals;
mod snapshots;
mod sources;
mod stacks;
mod stepping;
mod stops;
mod travel;
mod tree;
mod trees;
mod unfinished_calls;
mod values;
mod watchpoints;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use wayfarer_backend::{AgentId, BreakpointId};

pub use at::At;
pub use positions::Place;
pub(crate) use rust_debug::DebugMaker;
pub use search::SearchSpec;

use crate::agent::{Interrupter, Mailbox, News};
use crate::backends::Backends;
use crate::breakpoint::{Breakpoint, Purpose};
use crate::evaluation::Memories;
use crate::event::Listeners;
use crate::session::{ModuleLibrary, Process, ThreadKey};
use crate::settings::Settings;
use crate::signals::SignalTable;
use crate::source::Sources;
use crate::step::StepPlan;
use crate::view::StopView;
use crate::{Event, Listening, Options, Result, Set, ThreadId};

/// The debugger of one session.
///
/// # How a front end uses it
/// - Methods are synchronous. Those that run the program ([`At::execute`]) return at the stop that ends them.
/// - Everything that happens is told to every listener of [`Debugger::on_event`], from inside whatever method is
///   running, in order. There may be several: a prompt, a log, a page in a browser.
/// - A stop is told once: each listener hears of it once, and the method that made it or met it returns the same
///   view, so that its caller can act on it. [`At::execute`], [`At::wait`] and [`At::halt`] return
///   the stops that end them, [`Debugger::pump`] all others. A front end shows stops where it listens, and there only;
///   what is returned tells it what to do next (follow the thread, run the breakpoint's commands).
/// - Ctrl-C: [`Debugger::interrupter`] gives a handle for another thread (or signal handler thread); its `halt`
///   makes a blocking method end with a stop [`crate::view::StopReason::Halted`].
/// - While the prompt is idle and something runs in the background, the waker of [`Debugger::on_wake`] is called
///   (from a thread of ours) as soon as a back end has news; the front end then locks its debugger and calls
///   [`Debugger::pump`], which handles the news, tells the listeners and returns the stops among it.
/// - Nothing is selected here: a request that is about a frame names it ([`Debugger::at`]), and where a prompt looks is
///   the prompt's own affair. A stop that a waiting command ends with says whether it should be followed
///   ([`StopView::current`]); one of the background never does.
pub struct Debugger {
    options: Options,
    mailbox: Mailbox,
    news: Receiver<News>,
    listeners: Listeners,
    backends: Backends,
    library: ModuleLibrary,
    sources: Sources,
    processes: BTreeMap<u32, Process>,
    next_process: u32,
    /// The thread that the run command is about that was begun last; it moves with the stops of the command.
    followed: Option<ThreadId>,
    focus: Set,
    breakpoints: BTreeMap<u32, Breakpoint>,
    next_breakpoint: u32,
    /// Who waits at each barrier.
    arrivals: BTreeMap<u32, Vec<ThreadId>>,
    /// Breakpoints of our own: which back end has each, and what for.
    internal: HashMap<BreakpointId, (AgentId, Purpose)>,
    next_internal: u64,
    signals: SignalTable,
    settings: Settings,
    /// Where each module leaves frames without returning, by the module's address.
    leaps: HashMap<usize, (Arc<wayfarer_symbols::Module>, Arc<Vec<leaps::Leap>>)>,
    /// Threads that are on their way through a step.
    steps: HashMap<ThreadKey, StepPlan>,
    /// Calls of ours that were stopped in the called function, oldest first.
    unfinished: Vec<unfinished_calls::UnfinishedCall>,
    /// Whether a call that is stopped in the called function stays there.
    stays_in_calls: bool,
    /// Stops that were told to the listeners and that no method has returned yet.
    reported: Vec<StopView>,
    /// Stops of the background that a command met at its beginning: the next `pump` returns them.
    unclaimed: Vec<StopView>,
    /// Somebody could not be resumed because it is gone; that is about to be told.
    death_expected: bool,
    /// Whether a command waits for stops; then its front end follows them.
    foreground: bool,
    begun: Option<processes::Beginning>,
    /// The run is on its way to a place: only the arrival is told.
    traveling: Option<travel::Travel>,
    at_entry: bool,
    memories: Memories,
}

/// Ids of our own breakpoints begin here; below are the user's numbers.
const FIRST_INTERNAL: u64 = 1 << 32;

impl Debugger {
    /// A debugger without processes; an agent is started when one is first needed.
    pub fn new(options: Options) -> Result<Debugger> {
        let (mailbox, news) = Mailbox::new();
        let memories = Memories::new(&options.printer_files);
        Ok(Debugger {
            options,
            mailbox,
            news,
            listeners: Listeners::default(),
            backends: Backends::default(),
            library: ModuleLibrary::default(),
            sources: Sources::default(),
            processes: BTreeMap::new(),
            next_process: 1,
            followed: None,
            focus: Set::all(),
            breakpoints: BTreeMap::new(),
            next_breakpoint: 1,
            arrivals: BTreeMap::new(),
            internal: HashMap::new(),
            next_internal: FIRST_INTERNAL,
            signals: SignalTable::default(),
            settings: Settings::default(),
            leaps: HashMap::new(),
            steps: HashMap::new(),
            unfinished: Vec::new(),
            stays_in_calls: false,
            reported: Vec::new(),
            unclaimed: Vec::new(),
            death_expected: false,
            foreground: false,
            begun: None,
            traveling: None,
            at_entry: false,
            memories,
        })
    }

    /// Adds somebody who is told what happens from now on. The handle ends that; without it they listen to the end.
    pub fn on_event(&mut self, listener: Box<dyn FnMut(&Event) + Send>) -> Listening {
        self.listeners.add(listener)
    }

    /// Who is woken when a back end has news, whether or not a method is running.
    pub fn on_wake(&mut self, waker: Box<dyn Fn() + Send + Sync>) {
        self.mailbox.set_waker(waker);
    }

    /// A handle that can end a blocking call from elsewhere.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter::new(self.mailbox.clone())
    }

    /// Handles all news from back ends without waiting for more. Returns the stops that were told since a method last
    /// returned any: those of the background.
    pub fn pump(&mut self) -> Result<Vec<StopView>> {
        while let Ok(news) = self.news.try_recv() {
            self.take_news(news)?;
        }
        let mut stops = std::mem::take(&mut self.unclaimed);
        stops.append(&mut self.reported);
        Ok(stops)
    }

    fn emit(&mut self, event: Event) {
        if !self.is_silent() || matches!(event, Event::Message { .. } | Event::AgentLost { .. }) {
            self.listeners.tell(&event);
        }
    }

    fn say(&mut self, text: impl Into<String>) {
        self.emit(Event::Message { text: text.into() });
    }
}
