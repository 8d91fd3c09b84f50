//! Wayfarer's side: one `wayfarer run --batch --json`, or `replay` of a recorded run, with the same stops as gdb had.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use wayfarer_test_kit::failure::{Failure, shorten};
use wayfarer_test_kit::process::{self, patience};
use wayfarer_test_kit::{ensure, wayfarer};

use crate::build::Built;
use crate::stack::{Frame, Stop, variables};

/// What the answers to a list of commands are for.
enum Purpose {
    Nothing,
    Stack {
        stop: usize,
        thread: usize,
    },
    Arguments {
        stop: usize,
        thread: usize,
        level: usize,
    },
    Locals {
        stop: usize,
        thread: usize,
        level: usize,
    },
}

/// The commands that ask for all that gdb said. A frame beyond ours is an error there, and is
/// found out when the stacks are compared.
fn questions(built: &Built, expected: &[Stop], all_threads: bool) -> Vec<(String, Purpose)> {
    let mut list = vec![(
        "handle SIGUSR1 nostop noprint pass".to_owned(),
        Purpose::Nothing,
    )];
    // A function of a library that is not loaded yet.
    list.push(("set breakpoint pending on".to_owned(), Purpose::Nothing));
    for stop in &built.stops {
        list.push((format!("break {stop}"), Purpose::Nothing));
    }
    list.push(("run".to_owned(), Purpose::Nothing));
    for (stop, stacks) in expected.iter().enumerate() {
        if stop > 0 {
            list.push(("continue".to_owned(), Purpose::Nothing));
        }
        for (thread, stack) in stacks.iter().enumerate() {
            if all_threads {
                list.push((format!("thread {}", thread + 1), Purpose::Nothing));
            }
            list.push(("bt".to_owned(), Purpose::Stack { stop, thread }));
            for (level, frame) in stack.iter().enumerate() {
                if !has_values(frame) {
                    continue;
                }
                list.push((format!("frame {level}"), Purpose::Nothing));
                list.push((
                    "info args".to_owned(),
                    Purpose::Arguments {
                        stop,
                        thread,
                        level,
                    },
                ));
                list.push((
                    "info locals".to_owned(),
                    Purpose::Locals {
                        stop,
                        thread,
                        level,
                    },
                ));
            }
        }
    }
    list
}

/// Values are compared in the frames of our own programs, not in those of the C library and of
/// Rust's, which are other files on every machine.
pub fn has_values(frame: &Frame) -> bool {
    let live = wayfarer_test_kit::debuggee::debuggees_directory().join("live");
    frame
        .file
        .as_ref()
        .is_some_and(|file| live.join(file).exists())
}

/// The command line that repeats it.
fn command(
    questions: &[(String, Purpose)],
    built: &Built,
    trace: Option<&Path>,
) -> Result<Command, Failure> {
    let mut command = wayfarer::command()?;
    command.arg(if trace.is_some() { "replay" } else { "run" });
    command.args(["--batch", "--json"]);
    for (question, _) in questions {
        command.arg("-e").arg(question);
    }
    match trace {
        Some(trace) => command.arg(trace),
        None => command.arg("--").arg(&built.program).args(&built.arguments),
    };
    Ok(command)
}

/// What Wayfarer sees at the stops that gdb had, in the program itself or in the replay of a trace.
pub fn stops(
    built: &Built,
    expected: &[Stop],
    all_threads: bool,
    trace: Option<&Path>,
) -> Result<Vec<Stop>, Failure> {
    let questions = questions(built, expected, all_threads);
    let mut command = command(&questions, built, trace)?;
    let finished = process::run(&mut command, b"", patience() * 2)?;
    ensure!(
        !finished.hung,
        "it hangs: {}\n{}",
        process::describe(&command),
        shorten(&finished.stderr)
    );
    let text = finished.stdout_text();
    let mut answers = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|value| value.get("command").is_some());
    let mut stops: Vec<Stop> = expected
        .iter()
        .map(|stacks| vec![Vec::new(); stacks.len()])
        .collect();
    for (question, purpose) in &questions {
        let Some(answer) = answers.next() else {
            return Err(Failure(format!(
                "no answer to {question:?}\n{}\n{}\n{}",
                process::describe(&command),
                shorten(&finished.stdout),
                shorten(&finished.stderr)
            )));
        };
        let result = &answer["result"];
        let set = |stops: &mut Vec<Stop>, at: (usize, usize, usize), is_argument: bool| {
            let (stop, thread, level) = at;
            if let Some(frame) = stops[stop][thread].get_mut(level) {
                let variables = variables(result);
                if is_argument {
                    frame.arguments = variables;
                } else {
                    frame.locals = variables;
                }
            }
        };
        match *purpose {
            Purpose::Nothing => {}
            Purpose::Stack { stop, thread } => {
                let frames = result["frames"].as_array().into_iter().flatten();
                stops[stop][thread] = frames.map(Frame::from_json).collect::<Result<_, _>>()?;
                if stops[stop][thread].is_empty() {
                    return Err(Failure(format!(
                        "no stack at stop {stop}: {answer}\n{}\n{}\n{}",
                        process::describe(&command),
                        shorten(text.as_bytes()),
                        shorten(&finished.stderr)
                    )));
                }
            }
            Purpose::Arguments {
                stop,
                thread,
                level,
            } => set(&mut stops, (stop, thread, level), true),
            Purpose::Locals {
                stop,
                thread,
                level,
            } => set(&mut stops, (stop, thread, level), false),
        }
    }
    Ok(stops)
}
