//! Where answers, events and errors go: a screen that shows text, or lines of JSON.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};
use wayfarer_debugger::view::{DisplayView, StopReason, StopView};
use wayfarer_debugger::{Event, ThreadId};

use crate::answer::{Answer, CommandError};
use crate::selection::thread_of;
use crate::text::{StopStyle, event};

/// Something that shows text at once.
pub trait Screen: Send {
    fn print(&mut self, text: &str);

    /// Errors; the same place unless the screen keeps them apart.
    fn complain(&mut self, text: &str) {
        self.print(text);
    }
}

/// stdout for answers, stderr for errors.
pub struct Standard;

impl Screen for Standard {
    fn print(&mut self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        // A closed pipe after us is the reader's choice.
        let _ = stdout.write_all(text.as_bytes());
        let _ = stdout.flush();
    }

    fn complain(&mut self, text: &str) {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Keeps everything, for tests and for `on`.
#[derive(Clone, Default)]
pub struct Kept(pub Arc<Mutex<String>>);

impl Screen for Kept {
    fn print(&mut self, text: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_str(text);
    }
}

/// The one place that knows how things are shown; it listens to the debugger's events.
#[derive(Clone)]
pub struct Output(Arc<Mutex<Inner>>);

struct Inner {
    screen: Box<dyn Screen>,
    json: bool,
    style: StopStyle,
    /// The thread that the prompt looks at.
    selected: Option<ThreadId>,
    /// Breakpoints whose commands begin with `silent`.
    silent: BTreeSet<u32>,
    /// The session ends: what happens now is of no interest.
    closed: bool,
    /// Whether entry stops and libraries are worth a line.
    verbose: bool,
}

/// An answer as `--json` writes it; the order of the keys is that of the reference.
#[derive(Serialize)]
struct Line<'a> {
    command: &'a str,
    ok: bool,
    result: &'a Value,
    error: Option<String>,
}

impl Inner {
    /// One object on a line of its own. Everything that is shown has a JSON form.
    fn object(&mut self, value: &impl Serialize) {
        if let Ok(line) = serde_json::to_string(value) {
            self.screen.print(&format!("{line}\n"));
        }
    }
}

impl Output {
    pub fn new(screen: Box<dyn Screen>, json: bool) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            screen,
            json,
            style: StopStyle::default(),
            selected: None,
            silent: BTreeSet::new(),
            closed: false,
            verbose: false,
        })))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_json(&self) -> bool {
        self.inner().json
    }

    /// Another screen from now on.
    pub fn set_screen(&self, screen: Box<dyn Screen>) {
        self.inner().screen = screen;
    }

    /// What stop reports need to know.
    pub fn set_style(&self, style: StopStyle) {
        self.inner().style = style;
    }

    pub fn style(&self) -> StopStyle {
        self.inner().style
    }

    /// Where the prompt looks: a stop there needs no name.
    pub fn set_selected(&self, thread: Option<ThreadId>) {
        self.inner().selected = thread;
    }

    pub fn set_verbose(&self, verbose: bool) {
        self.inner().verbose = verbose;
    }

    /// Shows no more events: the session ends.
    pub fn close(&self) {
        self.inner().closed = true;
    }

    pub fn is_closed(&self) -> bool {
        self.inner().closed
    }

    /// A breakpoint's stops are shown or not.
    pub fn set_silent(&self, breakpoint: u32, silent: bool) {
        let mut inner = self.inner();
        if silent {
            inner.silent.insert(breakpoint);
        } else {
            inner.silent.remove(&breakpoint);
        }
    }

    /// Text between answers (`Run till exit from …`, displays); in JSON it is part of the answer instead.
    pub fn note(&self, text: &str) {
        let mut inner = self.inner();
        if !inner.json && !text.is_empty() {
            inner.screen.print(text);
        }
    }

    /// The automatic displays of a stop.
    pub fn displays(&self, views: &[DisplayView], text: &str) {
        let mut inner = self.inner();
        if inner.json {
            inner.object(&json!({"event": "displays", "displays": views}));
        } else {
            inner.screen.print(text);
        }
    }

    /// A command's answer.
    pub fn answer(&self, command: &str, answer: &Answer) {
        let mut inner = self.inner();
        if inner.json {
            inner.object(&Line {
                command,
                ok: true,
                result: &answer.value,
                error: None,
            });
        } else if !answer.text.is_empty() {
            inner.screen.print(&answer.text);
        }
    }

    /// A command's failure.
    pub fn error(&self, command: &str, error: &CommandError) {
        let mut inner = self.inner();
        if inner.json {
            inner.object(&Line {
                command,
                ok: false,
                result: &Value::Null,
                error: Some(error.to_string()),
            });
        } else {
            inner.screen.complain(&format!("{error}\n"));
        }
    }

    /// Something happened.
    pub fn event(&self, event: &Event) {
        let mut inner = self.inner();
        if inner.closed {
            return;
        }
        let selected = inner.selected.is_some_and(|selected| match event {
            Event::Stopped(stop) => {
                let thread = thread_of(stop);
                thread == selected || (stop.reason.is_end() && thread.process == selected.process)
            }
            _ => false,
        });
        let seen = match event {
            Event::Stopped(stop) if selected && !stop.current => Event::Stopped(StopView {
                current: true,
                ..stop.clone()
            }),
            other => other.clone(),
        };
        let event = &seen;
        if inner.json {
            inner.object(event);
            return;
        }
        match event {
            Event::NewProcess { .. } => inner.style.several_processes = true,
            Event::NewThread { .. } => inner.style.several_threads = true,
            Event::Stopped(stop) => {
                let silent = stop
                    .reason
                    .breakpoint()
                    .is_some_and(|number| inner.silent.contains(&number));
                if silent || matches!(stop.reason, StopReason::Entry) {
                    return;
                }
            }
            Event::Library { .. } | Event::BreakpointChanged { .. } if !inner.verbose => return,
            _ => {}
        }
        let text = event::event(event, inner.style);
        if !text.is_empty() {
            inner.screen.print(&text);
        }
    }
}
