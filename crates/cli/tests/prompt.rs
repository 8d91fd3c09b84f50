//! The prompt on a terminal: editing, completion, repetition, Ctrl-C.

mod support;

use std::process::Command;

use rexpect::session::{PtySession, spawn_command};
use support::Program;

/// Milliseconds that an answer may take.
const PATIENCE: u64 = 30_000;

fn session(program: &Program, terminal: &str) -> PtySession {
    let mut command: Command = support::wayfarer(program.directory());
    command
        .env("TERM", terminal)
        .env("NO_COLOR", "1")
        .arg("run")
        .arg("--")
        .arg(&program.path);
    // A child of a pseudo terminal reads from it, not from what the batch tests give.
    command.stdin(std::process::Stdio::inherit());
    let mut session =
        spawn_command(command, Some(PATIENCE)).expect("wayfarer starts on a terminal");
    session.exp_string("(wayfarer) ").expect("a prompt");
    session
}

fn type_and_see(session: &mut PtySession, line: &str, expected: &str) {
    session.send_line(line).expect("a line can be typed");
    if let Err(error) = session.exp_string(expected) {
        panic!("{expected:?} does not come after {line:?}: {error}");
    }
    session
        .exp_string("(wayfarer) ")
        .expect("the prompt comes back");
}

#[test]
fn completion_repetition_and_the_end() {
    let program = Program::build("basic");
    let mut session = session(&program, "xterm");
    session.send("brea\t add\n").expect("typing works");
    session
        .exp_string("Breakpoint 1 at 0x")
        .expect("a breakpoint");
    session.exp_string("(wayfarer) ").expect("the prompt");
    type_and_see(
        &mut session,
        "run",
        "Breakpoint 1, add (a=0, b=4) at basic.c:13",
    );
    type_and_see(&mut session, "next", "total += sum;");
    type_and_see(&mut session, "", "return sum;");
    type_and_see(&mut session, "print a", "$1 = 0");
    type_and_see(&mut session, "list 1,2", "#include <stdio.h>");
    type_and_see(&mut session, "", "struct pair {");
    session.send_line("quit").expect("typing works");
    session
        .exp_string("Quit anyway? (y or n) ")
        .expect("a question");
    session.send_line("y").expect("typing works");
    session.exp_eof().expect("the end");
}

#[test]
fn ctrl_c_halts_and_a_second_one_does_no_harm() {
    let program = Program::build("sleeper");
    let mut session = session(&program, "xterm");
    session.send_line("run").expect("typing works");
    session.exp_string("up").expect("the program runs");
    session.send_control('c').expect("Ctrl-C");
    session
        .exp_string("(wayfarer) ")
        .expect("the prompt comes back");
    session.send_control('c').expect("Ctrl-C");
    session.exp_string("(wayfarer) ").expect("the prompt stays");
    type_and_see(&mut session, "print rounds", "$1 = 0");
}

#[test]
fn a_terminal_that_can_do_nothing() {
    let program = Program::build("basic");
    let mut session = session(&program, "dumb");
    type_and_see(&mut session, "break add", "Breakpoint 1 at 0x");
    type_and_see(&mut session, "info breakpoints", "in add at basic.c:13");
    session.send_line("quit").expect("typing works");
    session.exp_eof().expect("the end");
}

#[test]
fn long_answers_pause_where_that_is_wanted() {
    let program = Program::build("basic");
    let mut session = session(&program, "xterm");
    let more = "--Type <RET> for more, q to quit, c to continue without paging--";
    session.send_line("set height 5").expect("typing works");
    session.exp_string("(wayfarer) ").expect("the prompt");
    type_and_see(&mut session, "list 1,8", "8\tint total;");
    session
        .send_line("set pagination on")
        .expect("typing works");
    session.exp_string("(wayfarer) ").expect("the prompt");
    session.send_line("list 1,8").expect("typing works");
    session.exp_string(more).expect("a pause");
    type_and_see(&mut session, "", "8\tint total;");
    session.send_line("list 1,12").expect("typing works");
    session.exp_string(more).expect("a pause");
    type_and_see(&mut session, "q", "Quit");
    session.send_line("list 1,12").expect("typing works");
    session.exp_string(more).expect("a pause");
    type_and_see(&mut session, "c", "12\t{");
}
