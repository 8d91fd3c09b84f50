//! Several processes, several threads, and a process that ran before us.

mod support;

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use support::Program;

#[test]
fn a_breakpoint_in_every_process_of_a_tree() {
    Program::build("tree")
        .batch(&[
            "break meet",
            "run",
            "info procs",
            "continue",
            "continue",
            "delete",
            "continue",
        ])
        .has(&[
            "hit Breakpoint 1, meet (number=",
            "  Num  Name",
            "tree",
            "hit Breakpoint 1, meet (number=",
            "hit Breakpoint 1, meet (number=",
        ])
        .ends_with(0);
}

#[test]
fn sets_focus_and_on() {
    Program::build("tree")
        .batch(&[
            "barrier meet on all",
            "break wait",
            "run",
            "info set all",
            "info threads",
            "name tree parent",
            "focus parent",
            "focus",
            "on !parent print number",
            "on all bt 1",
            "bt -tree",
            "focus all",
            "kill all",
        ])
        .has(&[
            "Breakpoint 2 (wait) pending.",
            "parent (1.1)",
            "parent (1.1)",
            "meet",
        ])
        .ends_with(0);
}

#[test]
fn a_barrier_holds_until_all_have_arrived() {
    Program::build("tree")
        .batch(&[
            "catch fork",
            "run",
            "continue",
            "delete",
            "barrier meet on all",
            "continue",
            "info threads",
            "on all print number",
            "continue",
        ])
        .has(&[
            "Catchpoint 1 (forked process N)",
            "Barrier 2",
            "complete",
            "meet (number=",
        ])
        .ends_with(0);
}

#[test]
fn threads_are_listed_and_selected() {
    Program::build("threads")
        .batch(&[
            "break all_here",
            "run",
            "info threads",
            "thread 2",
            "thread apply all bt 1",
            "thread 1",
            "up",
            "continue",
        ])
        .has(&[
            "hit Breakpoint 1, all_here () at threads.c:18\n",
            "  Id",
            "* 1 ",
            "[Switching to thread 1.2 (threads, LWP N \"threads\")]\n",
            "\nThread 1.1 (threads, LWP N",
            "#1  0xN in main () at threads.c:28\n",
            "exited normally]",
        ])
        .ends_with(0);
}

#[test]
fn an_attached_program_goes_on_as_if_nothing_had_been() {
    let program = Program::build("sleeper");
    let mut child = Command::new(&program.path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut output = child.stdout.take().expect("piped");
    let mut up = [0_u8; 3];
    output.read_exact(&mut up).expect("the program comes up");
    program
        .attach(
            child.id(),
            &["bt", "print go_on", "break main", "info procs", "detach"],
        )
        .has(&[
            " in main () at sleeper.c:",
            "$1 = 1\n",
            "stopped, attached",
            "[Inferior 1 (process N) detached]\n",
        ])
        .ends_with(0);
    program
        .attach(child.id(), &["print rounds"])
        .has(&["$1 = 0\n"])
        .ends_with(0);
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(b"xyz")
        .expect("the program listens");
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("the program ends");
    assert_eq!(rest, "bye\n");
    assert_eq!(child.wait().expect("a status").code(), Some(7));
}

#[test]
fn a_process_that_is_not_there() {
    let program = Program::build("sleeper");
    program
        .attach(0x3fff_fff0, &["bt"])
        .complains("there is no process")
        .ends_with(2);
}
