//! The workbench: a debugger on an invented world, and its stops as short lines.

use std::sync::{Arc, Mutex};

use wayfarer_backend::{Action, ProcessId, ResumeAction, ThreadId};
use wayfarer_debugger::view::{StopReason, StopView};
use wayfarer_debugger::{
    AgentId, At, BreakpointSpec, Debugger, Event, Launch, Options, Result, Run, StackFrame,
};
use wayfarer_fake_backend::{Call, Fake, Request, World};

/// A debugger with a fake, and what was told.
pub struct Bench {
    pub debugger: Debugger,
    pub fake: Arc<Fake>,
    pub events: Arc<Mutex<Vec<Event>>>,
    /// The frame that requests are about.
    pub frame: Option<StackFrame>,
}

/// To the next stop.
pub const GO: Run = Run::Continue { ignore: 0 };

impl Bench {
    pub fn new() -> Bench {
        let options = Options {
            printer_files: Vec::new(),
            ..Options::default()
        };
        let mut debugger = Debugger::new(options).expect("a debugger");
        let (_, fake) = add_fake(&mut debugger);
        let events: Arc<Mutex<Vec<Event>>> = Arc::default();
        let heard = events.clone();
        debugger.on_event(Box::new(move |event| {
            heard.lock().expect("not poisoned").push(event.clone());
        }));
        Bench {
            debugger,
            fake,
            events,
            frame: None,
        }
    }

    /// Invents a process of so many threads and launches it.
    pub fn launch(&mut self, program: &str, threads: usize) -> (ProcessId, Vec<ThreadId>) {
        let process = self.fake.act(|world| invent(world, program, threads));
        self.frame = Some(first_frame(self.debugger.launch(Launch::default())));
        (process, self.fake.act(|world| world.threads_of(process)))
    }

    /// The debugger, asked about the frame.
    pub fn at(&mut self) -> At<'_> {
        self.debugger.at(self.frame)
    }

    /// Sets a breakpoint; its number.
    pub fn set(&mut self, location: &str) -> u32 {
        let spec = BreakpointSpec::parse(location, 1).expect("reads");
        self.at().add_breakpoint(spec).expect("set").number
    }

    /// Runs to the next stop, and looks where it says.
    pub fn run(&mut self, how: Run) -> Vec<String> {
        let stops = self.at().execute(how, None).expect("runs");
        if let Some(stop) = stops
            .iter()
            .find(|stop| stop.current && stop.frame.is_some())
        {
            self.frame = Some(frame_of(stop));
        }
        stops.iter().map(words).collect()
    }

    /// What was told since this was called last, as short lines.
    pub fn told(&self) -> Vec<String> {
        let events = std::mem::take(&mut *self.events.lock().expect("not poisoned"));
        events.iter().map(event_words).collect()
    }

    /// What each `resume` since the last look asked for.
    pub fn resumed(&self) -> Vec<Vec<ResumeAction>> {
        let resumes = |request| match request {
            Request::Resume(actions) => Some(actions),
            _ => None,
        };
        self.fake.news().into_iter().filter_map(resumes).collect()
    }

    /// The next time that something is resumed, this happens.
    pub fn when_resumed(&self, what: impl FnOnce(&mut World) + Send + 'static) {
        self.fake.then(Call::Resume, what);
    }

    /// How often a breakpoint was hit, and how often it is still passed over.
    pub fn counts(&self, number: u32) -> (u64, u64) {
        let view = self.debugger.breakpoint(number).expect("there");
        (view.hits, view.ignore)
    }
}

/// Gives a debugger one more back end.
pub fn add_fake(debugger: &mut Debugger) -> (AgentId, Arc<Fake>) {
    let mut made = None;
    let id = debugger.add_backend(|listener| {
        let fake = Fake::new(listener);
        made = Some(fake.clone());
        Ok(fake)
    });
    (id.expect("added"), made.expect("made"))
}

/// A process with so many threads, each with a stack of its own.
pub fn invent(world: &mut World, program: &str, threads: usize) -> ProcessId {
    let process = world.add_process(program);
    for _ in 1..threads {
        world.add_thread(process);
    }
    for (number, thread) in world.threads_of(process).into_iter().enumerate() {
        let stack = 0x7000_0000 + 0x10_0000 * number as u64;
        world.write(process, stack - 8, &[0; 16]);
        world.registers(thread, |general| {
            general.rip = 0x40_0000;
            general.rsp = stack;
        });
    }
    process
}

/// The frame that a stop is about.
pub fn frame_of(stop: &StopView) -> StackFrame {
    innermost(stop.who.process_number, stop.who.thread_number)
}

/// Where a thread stands.
pub fn innermost(process: u32, thread: u32) -> StackFrame {
    StackFrame::innermost(wayfarer_debugger::ThreadId { process, thread })
}

/// The frame of the stop that a launch returns.
pub fn first_frame(stop: Result<StopView>) -> StackFrame {
    frame_of(&stop.expect("launched"))
}

/// Whether an action is to run freely.
pub fn is_free(action: &ResumeAction) -> bool {
    action.action == Action::Continue
}

/// A stop as a short line: who, why, where; a star if a front end is to look there.
pub fn words(stop: &StopView) -> String {
    let why = match &stop.reason {
        StopReason::Breakpoint { number, .. } => format!("breakpoint {number}"),
        StopReason::Catch { number, event, .. } => format!("catch {number} {event}"),
        StopReason::Signal { name, .. } => name.clone(),
        StopReason::Exited { status } => format!("exit {status}"),
        StopReason::Killed { name, .. } => format!("killed by {name}"),
        StopReason::Barrier(barrier) => format!("barrier {}", barrier.number),
        StopReason::Watchpoint {
            number, old, new, ..
        } => {
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            format!("watch {number} {}->{}", text(old), text(new))
        }
        StopReason::Finished { function, .. } => format!("finished {function}"),
        other => format!("{other:?}").to_lowercase(),
    };
    let place = match &stop.frame {
        Some(frame) => match (&frame.function, frame.line) {
            (Some(function), Some(line)) => format!(" {function}:{line}"),
            _ => format!(" {:#x}", frame.address),
        },
        None => String::new(),
    };
    let star = if stop.current { " *" } else { "" };
    format!("{} {why}{place}{star}", stop.who.numbers())
}

fn event_words(event: &Event) -> String {
    match event {
        Event::Stopped(stop) => words(stop),
        Event::NewProcess { who, how, parent } => {
            let parent = parent.as_deref().unwrap_or("nobody");
            format!("{} {how} of {parent}", who.numbers())
        }
        Event::Executed { who, program, .. } => format!("{} runs {program}", who.numbers()),
        Event::NewThread { who } => format!("{} new", who.numbers()),
        Event::ThreadExited { who } => format!("{} ended", who.numbers()),
        Event::Signal { who, name, .. } => format!("{} saw {name}", who.numbers()),
        Event::Output { text, .. } => format!("output {text}"),
        Event::BreakpointChanged { number, places } => format!("breakpoint {number}: {places}"),
        Event::BarrierArrival { who, barrier } => {
            format!("{} waits for {}", who.numbers(), barrier.missing.join(", "))
        }
        Event::Library { path, loaded, .. } => format!("{path} {loaded}"),
        Event::Message { text } => text.clone(),
        Event::ReplayEnded { identical, .. } => format!("end of the recording: {identical}"),
        Event::AgentLost { why } => format!("lost: {why}"),
    }
}
