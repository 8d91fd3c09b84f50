//! `wayfarer replay DIR`: the prompt of `run` on a recorded run, as scripts see it.

mod support;

use std::fs;
use support::{Program, Trace};

#[test]
fn a_recorded_run_is_debugged_to_its_end() {
    let program = Program::build("basic");
    Trace::of(&program, &[])
        .batch(&[
            "break add if a == 3",
            "continue",
            "bt",
            "info locals",
            "finish",
            "delete",
            "continue",
        ])
        .has(&[
            "Breakpoint 1 at 0x",
            "\nBreakpoint 1, add (a=3, b=4) at basic.c:13\n13\t    int sum = a + b;\n",
            "#0  add (a=3, b=4) at basic.c:13\n#1  0xN in main () at basic.c:23\n",
            "sum = ",
            "Value returned is $1 = 7\n",
            "hello 8 30\n",
            "[End of the recording: identical, ",
            "exit status 3]\n",
            "[Inferior 1 (process N) exited with code 03]\n",
        ])
        .ends_with(0);
}

#[test]
fn commands_come_from_options_files_and_standard_input() {
    let program = Program::build("basic");
    let trace = Trace::of(&program, &[]);
    let script = program.directory().join("script");
    fs::write(&script, "break add\ncontinue\n").expect("a file");
    let script = script.display().to_string();
    trace
        .session(&["-x", &script, "-e", "print a", "--batch"])
        .has(&["Breakpoint 1, add (a=0, b=4)", "$1 = 0\n"])
        .ends_with(0);
    // An error of one command does not end what comes from standard input.
    trace
        .piped("break add\ncontinue\nprint nothing\nprint b\n")
        .has(&["Breakpoint 1, add (a=0, b=4)", "$1 = 4\n"])
        .complains("No symbol \"nothing\" in current context.")
        .ends_with(0);
    trace
        .batch(&["print nothing", "print 1"])
        .complains("No symbol \"nothing\"")
        .ends_with(1);
    let said = trace.session(&["--json", "--batch", "-e", "continue"]);
    let objects = said.ends_with(0).objects();
    let end = objects
        .iter()
        .find(|object| object["event"] == "replay_ended")
        .expect("the end is an event");
    assert_eq!(end["identical"], true, "{end}");
    assert_eq!(end["status"], 3, "{end}");
}

#[test]
fn run_begins_again() {
    let program = Program::build("basic");
    Trace::of(&program, &[])
        .batch(&[
            "break add",
            "run",
            "continue",
            "print a",
            "run",
            "print a",
            "delete",
            "continue",
            "run",
            "run 1",
        ])
        .has(&[
            "Breakpoint 1, add (a=0, b=4)",
            "$1 = 1\n",
            "Breakpoint 1, add (a=0, b=4)",
            "$2 = 0\n",
            "[End of the recording: identical",
            "[End of the recording: identical",
        ])
        .complains("This is a recorded run: its arguments are those of the recording.")
        .ends_with(1);
}

#[test]
fn processes_have_their_names_and_all_reach_the_end() {
    let program = Program::build("tree");
    // All come to their meeting before the first stop is told. The end of each process is a stop.
    Trace::of(&program, &[])
        .piped("break meet\ncontinue\ninfo procs\ndelete\ncontinue\ncontinue\ncontinue\n")
        .has(&[
            "Breakpoint 1, meet (number=",
            "Breakpoint 1, meet (number=",
            "Breakpoint 1, meet (number=",
            "tree.2",
            "tree.3",
            "[End of the recording: identical",
        ])
        .ends_with(0);
}

#[test]
fn what_would_change_the_run_is_refused() {
    let program = Program::build("basic");
    let trace = Trace::of(&program, &[]);
    let refused = [
        "set var a = 9",
        "print a = 9",
        "print add(1, 2)",
        "call add(1, 2)",
        "print $rax = 1",
        "jump 25",
        "return",
        "signal SIGUSR1",
        "signal 0",
        "detach",
    ];
    let lines = refused.join("\n");
    let said = trace.piped(&format!(
        "break add\ncontinue\n{lines}\nprint a\nset $own = 5\nprint $own + a\ndelete\ncontinue\n"
    ));
    let complaints = said.err.matches("Not in a replay: ").count();
    assert_eq!(complaints, refused.len(), "{}\n{}", said.err, said.out);
    said.has(&[
        "$1 = 0\n",
        "$2 = 5\n",
        "hello 8 30\n",
        "[End of the recording: identical",
    ])
    .ends_with(0);
}

#[test]
fn a_recording_that_was_cut_ends_with_a_stop() {
    let program = Program::build("sleeper");
    Trace::cut(&program)
        .batch(&["break main", "continue", "continue", "bt", "info threads"])
        .has(&[
            "Breakpoint 1, main () at sleeper.c:",
            "Program stopped: the recording was cut, and ends here.\n",
            "main () at sleeper.c:",
        ])
        .ends_with(0);
}

#[test]
fn a_divergence_is_a_stop_with_a_stack() {
    let program = Program::build("unseen");
    let trace = Trace::of(&program, &[]);
    trace
        .batch(&["continue", "bt"])
        .has(&[
            "Program stopped: the replay diverged (",
            "promised",
            "came",
            "in main () at unseen.c:",
        ])
        .ends_with(0);
}

#[test]
fn traces_that_cannot_be_replayed_are_refused() {
    let program = Program::build("basic");
    let trace = Trace::of(&program, &[]);
    let elsewhere = program.directory().join("nothing");
    Trace::at(&program, &elsewhere)
        .batch(&["continue"])
        .complains("nothing")
        .ends_with(2);
    Trace::at(&program, program.directory())
        .batch(&["continue"])
        .ends_with(2);
    let mut bytes = fs::read(&program.path).expect("the program");
    bytes.extend(b"changed");
    fs::remove_file(&program.path).expect("the program is there");
    fs::write(&program.path, bytes).expect("the program can be changed");
    trace.batch(&["continue"]).complains("basic").ends_with(2);
    fs::remove_file(&program.path).expect("the program is there");
    trace.batch(&["continue"]).complains("basic").ends_with(2);
}
