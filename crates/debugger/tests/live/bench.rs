//! The workbench: builds programs, makes debuggers, collects events.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use wayfarer_debugger::view::StopView;
use wayfarer_debugger::{
    AgentStart, At, BreakpointSpec, Debugger, Event, Launch, Options, Run, StackFrame, ThreadId,
};

/// A debugger with what it told.
pub struct Bench {
    pub debugger: Debugger,
    /// The frame that requests are about: where the last stop was.
    pub frame: Option<StackFrame>,
    pub events: Arc<Mutex<Vec<Event>>>,
    pub directory: tempfile::TempDir,
}

impl Bench {
    /// A debugger whose agent is this very program.
    pub fn new() -> Bench {
        let this = std::env::current_exe()
            .expect("this program")
            .into_os_string();
        let options = Options {
            agent: AgentStart::Program(vec![this, "agent".into()]),
            printer_files: Vec::new(),
            ..Options::default()
        };
        let mut debugger = Debugger::new(options).expect("a debugger");
        let events = Arc::new(Mutex::new(Vec::new()));
        let sink = events.clone();
        debugger.on_event(Box::new(move |event| {
            sink.lock().expect("not poisoned").push(event.clone())
        }));
        Bench {
            debugger,
            frame: None,
            events,
            directory: tempfile::tempdir().expect("a directory"),
        }
    }

    /// Builds a program from its source; the extension chooses the compiler.
    pub fn build(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let file = self.directory.path().join(name);
        std::fs::write(&file, source).expect("source written");
        let program = file.with_extension("");
        let compiler = match file.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => "rustc",
            Some("cc") => "g++",
            _ => "gcc",
        };
        let built = Command::new(compiler)
            .current_dir(self.directory.path())
            .args(["-g", name, "-o"])
            .arg(&program)
            .args(flags)
            .status()
            .expect("a compiler");
        assert!(built.success(), "{name} does not compile");
        program
    }

    /// Builds a program and launches it.
    pub fn launch(&mut self, name: &str, source: &str, flags: &[&str]) -> StopView {
        let program = self.build(name, source, flags);
        let what = Launch {
            argv: vec![program.into_os_string()],
            ..Launch::default()
        };
        let stop = self.debugger.launch(what).expect("launched");
        self.frame = Some(StackFrame::innermost(thread_of(&stop)));
        stop
    }

    /// The debugger, asked about the frame.
    pub fn at(&mut self) -> At<'_> {
        let first = self.debugger.stand_in(1).map(StackFrame::innermost);
        self.debugger.at(self.frame.or(first))
    }

    /// Goes to another frame of the same thread.
    pub fn go_to(&mut self, level: u32) {
        let frame = self.frame.expect("a frame");
        self.frame = Some(StackFrame { level, ..frame });
    }

    /// Sets a breakpoint.
    pub fn set(&mut self, text: &str) -> u32 {
        let spec = BreakpointSpec {
            pending: true,
            ..BreakpointSpec::parse(text, 1).expect("reads")
        };
        self.at().add_breakpoint(spec).expect("set").number
    }

    /// Continues to the next stop.
    pub fn run(&mut self) -> StopView {
        self.go(Run::Continue { ignore: 0 })
    }

    /// Runs to the next stop.
    pub fn go(&mut self, how: Run) -> StopView {
        let stops = self.at().execute(how, None).expect("runs");
        let stop = stops.into_iter().next().expect("a stop");
        self.frame = Some(StackFrame::innermost(thread_of(&stop)));
        stop
    }

    /// Where a stop is: `function:line`.
    pub fn place(stop: &StopView) -> String {
        match &stop.frame {
            Some(frame) => {
                format!(
                    "{}:{}",
                    frame.function.as_deref().unwrap_or("??"),
                    frame.line.unwrap_or(0)
                )
            }
            None => "nowhere".to_owned(),
        }
    }

    /// What `print` shows.
    pub fn print(&mut self, expression: &str) -> String {
        self.at()
            .print(expression, None)
            .map_or_else(|error| format!("error: {error}"), |value| value.text)
    }
}

/// The thread of a stop.
pub fn thread_of(stop: &StopView) -> ThreadId {
    ThreadId {
        process: stop.who.process_number,
        thread: stop.who.thread_number,
    }
}
