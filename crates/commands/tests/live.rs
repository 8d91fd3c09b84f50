//! The interpreter with a real agent and a real program, without a terminal: what the prompt looks at, and what it is
//! shown of stops.
//!
//! The agent must be a process of its own with one thread, so this test program has its own main: started as
//! `… agent --socket PATH` it is the agent.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::mpsc::{Receiver, channel};

use wayfarer_commands::{Flow, Interpreter, Kept, ListedLines, NoLines, Output};
use wayfarer_debugger::{AgentStart, Debugger, Launch, Options, StackFrame, ThreadId};

const TESTS: &[(&str, fn())] = &[
    (
        "a_background_stop_leaves_the_selection",
        a_background_stop_leaves_the_selection,
    ),
    (
        "requests_of_others_leave_the_selection",
        requests_of_others_leave_the_selection,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [agent, flag, socket] = arguments.as_slice()
        && agent == "agent"
        && flag == "--socket"
    {
        return match wayfarer_agent::serve(Path::new(socket)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("agent: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let listing = arguments.iter().any(|argument| argument == "--list");
    let mut failed = 0;
    for (name, test) in TESTS {
        if filter.is_some_and(|filter| !name.contains(filter.as_str())) {
            continue;
        }
        if listing {
            println!("{name}: test");
            continue;
        }
        let outcome = std::panic::catch_unwind(test);
        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("test {name} ... {word}");
        failed += u32::from(outcome.is_err());
    }
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

const TWO_PROCESSES: &str = r#"#include <sys/wait.h>
#include <unistd.h>
static int meet(int number)
{
  return number + 1;
}
static int later(int number)
{
  return number * 2;
}
int main(void)
{
  int own = 10;
  pid_t child = fork();
  if (child == 0) {
    own = 20;
    meet(own);
    later(own);
    _exit(0);
  }
  meet(own);
  waitpid(child, 0, 0);
  return 0;
}
"#;

/// An interpreter whose processes both stand in `meet`; the prompt looks at the caller in the first.
struct Prompt {
    interpreter: Interpreter,
    screen: Kept,
    woken: Receiver<()>,
    _directory: tempfile::TempDir,
}

impl Prompt {
    fn new() -> Prompt {
        let directory = tempfile::tempdir().expect("a directory");
        let source = directory.path().join("two.c");
        let program = directory.path().join("two");
        std::fs::write(&source, TWO_PROCESSES).expect("source written");
        let mut compiler = Command::new("gcc");
        compiler
            .args(["-g", "-O0", "-o"])
            .arg(&program)
            .arg(&source);
        assert!(compiler.status().expect("a compiler").success());
        let this = std::env::current_exe().expect("this program");
        let options = Options {
            agent: AgentStart::Program(vec![this.into_os_string(), "agent".into()]),
            printer_files: Vec::new(),
            ..Options::default()
        };
        let mut debugger = Debugger::new(options).expect("a debugger");
        let (wake, woken) = channel();
        debugger.on_wake(Box::new(move || {
            let _ = wake.send(());
        }));
        let screen = Kept::default();
        let output = Output::new(Box::new(screen.clone()), false);
        let mut interpreter = Interpreter::new(debugger, output);
        let what = Launch {
            argv: vec![program.into_os_string()],
            ..Launch::default()
        };
        interpreter.program = Some(what.clone());
        interpreter.debugger.launch(what).expect("launched");
        let mut prompt = Prompt {
            interpreter,
            screen,
            woken,
            _directory: directory,
        };
        prompt.says("set stop process");
        prompt.says("break meet");
        let mut commands = ListedLines::of_text("print number\nend");
        prompt.says("break later");
        let flow = prompt.interpreter.line("commands", &mut commands);
        assert_eq!(flow, Flow::Good);
        prompt.says("run");
        while prompt.interpreter.debugger.is_running() {
            prompt.says("wait");
        }
        prompt.says("thread 1.1");
        prompt.says("up");
        prompt
    }

    /// What a line shows.
    fn says(&mut self, line: &str) -> String {
        self.shown();
        assert_eq!(
            self.interpreter.line(line, &mut NoLines),
            Flow::Good,
            "{line}: {}",
            self.shown()
        );
        self.shown()
    }

    /// What was shown since the last look.
    fn shown(&mut self) -> String {
        std::mem::take(&mut *self.screen.0.lock().expect("not poisoned"))
    }
}

fn a_background_stop_leaves_the_selection() {
    let mut prompt = Prompt::new();
    let frame = prompt.says("frame");
    assert!(
        frame.contains("#1 ") && frame.contains("in main ()"),
        "{frame}"
    );
    assert!(prompt.says("print own").ends_with("= 10\n"));
    prompt.says("on 2 continue &");
    let mut told = String::new();
    while !told.contains("later") || prompt.interpreter.debugger.is_running() {
        prompt.woken.recv().expect("news");
        prompt.interpreter.background();
        told += &prompt.shown();
    }
    // The stop is told once, by its name; its commands ran where it was.
    assert_eq!(
        told.matches("two.2 (2.1) hit Breakpoint 2, later (number=20)")
            .count(),
        1,
        "{told}"
    );
    assert!(told.ends_with(" = 20\n"), "{told}");
    assert_eq!(prompt.says("frame"), frame);
    assert!(prompt.says("print own").ends_with("= 10\n"));
}

fn requests_of_others_leave_the_selection() {
    let mut prompt = Prompt::new();
    let frame = prompt.says("frame");
    let thread = ThreadId {
        process: 2,
        thread: 1,
    };
    let elsewhere = StackFrame { thread, level: 1 };
    let debugger = &mut prompt.interpreter.debugger;
    let own = debugger
        .at(elsewhere)
        .evaluate("own", None)
        .expect("a value");
    assert_eq!(own.text, "20");
    assert_eq!(prompt.says("frame"), frame);
    // One command elsewhere, and the prompt is back; its frame there is the one that it looks at.
    let there = prompt.says("thread apply 2.1 print number");
    assert!(there.ends_with(" = 20\n"), "{there}");
    assert_eq!(prompt.says("frame"), frame);
    // When the thread has run, its frame is the innermost again.
    let stop = prompt.says("on 1 next");
    assert_eq!(stop, "6\t}\n");
    assert!(prompt.says("frame").starts_with("#0 "));
}
