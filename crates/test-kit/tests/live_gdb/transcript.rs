//! The same commands at gdb's prompt and at ours, and the answers to each side by side.

use std::process::Command;

use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{Outcome, Verdict};
use wayfarer_test_kit::process::{self, patience};
use wayfarer_test_kit::{ensure, wayfarer};

use crate::build::{self, Built};
use crate::commands::Typed;
use crate::gdb;

/// What stands before the answer to each command.
const MARK: &str = "@@@ ";

pub fn side_by_side(typed: &Typed, options: &str) -> Outcome {
    if !gdb::is_installed() {
        return Ok(Verdict::Skipped("gdb with Python is not installed".into()));
    }
    let built = build::build(&typed.row, options)?;
    let mut theirs = Command::new("gdb");
    theirs.args(["-q", "-nx"]);
    for setting in ["confirm off", "width 0", "height 0", "style enabled off"] {
        theirs.arg("-ex").arg(format!("set {setting}"));
    }
    theirs.arg("--args").arg(&built.program);
    let mut ours = wayfarer::command()?;
    ours.arg("run").arg("--").arg(&built.program);
    let theirs = answers(theirs, typed)?;
    let ours = answers(ours, typed)?;
    let (differences, unanswered) = differences(typed, &built, &theirs, &ours);
    ensure!(
        differences.is_empty(),
        "{} differences\n{}",
        differences.len(),
        differences.join("\n")
    );
    match unanswered {
        0 => Ok(Verdict::Passed),
        calls => Ok(Verdict::Skipped(format!(
            "this gdb cannot call functions on this processor ({CANNOT_CALL}), so {calls} commands were not compared; all others were the same"
        ))),
    }
}

/// What gdb says instead of calling a function where the processor has larger registers than it knows of.
const CANNOT_CALL: &str = "Couldn't write extended state status";

/// What a debugger says to all commands.
struct Answers {
    to_each: Vec<Vec<String>>,
    /// Functions that it could not call.
    failed_calls: usize,
}

/// What a debugger answers to each command.
fn answers(mut command: Command, typed: &Typed) -> Result<Answers, Failure> {
    wayfarer::fix_environment(&mut command);
    let mut input = String::new();
    for line in typed.commands {
        input.push_str(&format!("echo {MARK}\\n\n{line}\n"));
    }
    // What is printed last must not be taken for an answer.
    input.push_str(&format!("echo {MARK}\\n\nkill\n"));
    let finished = process::run(&mut command, input.as_bytes(), patience() * 2)?;
    ensure!(!finished.hung, "it hangs: {}", process::describe(&command));
    // Both write errors to the other stream: then they are told by their absence.
    let text = finished.stdout_text().replace("(gdb) ", "");
    let parts = text.split(MARK.trim_end()).skip(1);
    let parts: Vec<Vec<String>> = parts
        .map(|part| part.lines().filter_map(comparable).collect())
        .collect();
    ensure!(
        parts.len() == typed.commands.len() + 1,
        "{} answers to {} commands: {}\n{text}\n{}",
        parts.len(),
        typed.commands.len(),
        process::describe(&command),
        finished.stderr_text()
    );
    Ok(Answers {
        to_each: parts,
        failed_calls: finished.stderr_text().matches(CANNOT_CALL).count(),
    })
}

/// A line without what no two runs have in common, if anything is left of it.
fn comparable(line: &str) -> Option<String> {
    let noise = [
        "Continuing.",
        "Starting program:",
        "[Thread debugging",
        "Using host libthread_db",
        "[Inferior ",
    ];
    // gdb says on the other stream that a file is missing.
    let is_missing = line
        .split_once("\tin ")
        .is_some_and(|(line, _)| line.parse::<u32>().is_ok());
    if is_missing || noise.iter().any(|noise| line.starts_with(noise)) {
        return None;
    }
    let mut words = Vec::new();
    let is_breakpoint = line.contains("reakpoint ") && line.contains(" at 0x");
    for word in line.split_whitespace() {
        words.push(without_address(word, is_breakpoint));
    }
    let line = words.join(" ");
    // An error before leaves another number behind.
    let line = match line.split_once(" = ") {
        Some((name, value)) if name.starts_with('$') => format!("$ = {value}"),
        _ => line,
    };
    (!line.is_empty()).then_some(line)
}

/// Addresses on the stack and, where a breakpoint is set before the program runs, those of its code, are left out.
fn without_address(word: &str, all: bool) -> String {
    let mut rest = word;
    let mut result = String::new();
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..]
            .find(|letter: char| !letter.is_ascii_hexdigit())
            .map_or(rest.len(), |end| at + 2 + end);
        let address = &rest[at..digits];
        let is_stack = address.len() == 14 && address.starts_with("0x7ff");
        result.push_str(&rest[..at]);
        result.push_str(if all || is_stack { "0x…" } else { address });
        rest = &rest[digits..];
    }
    result.push_str(rest);
    result
}

/// The differences, and the number of commands to which gdb has no answer because it could not call a function.
fn differences(
    typed: &Typed,
    built: &Built,
    theirs: &Answers,
    ours: &Answers,
) -> (Vec<String>, usize) {
    let mut list = Vec::new();
    let mut unanswered = 0;
    for (at, command) in typed.commands.iter().enumerate() {
        let (their, our) = (&theirs.to_each[at], &ours.to_each[at]);
        if their == our {
            continue;
        }
        if their.is_empty() && unanswered < theirs.failed_calls {
            unanswered += 1;
            continue;
        }
        list.push(format!(
            "  {command} ({})\n    gdb:  {}\n    ours: {}",
            built.program.display(),
            their.join("\n          "),
            our.join("\n          ")
        ));
    }
    (list, unanswered)
}
