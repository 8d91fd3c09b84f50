//! A program that is killed at any moment: an event, never a hang or a crash of ours.

mod support;

use std::process::Command;

use support::{Program, Said};

/// Runs commands on a program that writes its process number into a file; `KILL` ends it, `SOON` a little later.
fn session(program: &Program, commands: &[&str]) -> Said {
    let file = program.directory().join("pid");
    let kill = format!("shell kill -9 $(cat {})", file.display());
    let soon = format!(
        "shell (sleep 0.3; kill -9 $(cat {})) > /dev/null 2>&1 &",
        file.display()
    );
    let mut command: Command = support::wayfarer(program.directory());
    command.arg("run");
    let script = program.directory().join("input");
    let lines: Vec<&str> = commands
        .iter()
        .map(|&line| match line {
            "KILL" => kill.as_str(),
            "SOON" => soon.as_str(),
            line => line,
        })
        .collect();
    std::fs::write(&script, lines.join("\n") + "\n").expect("the script");
    command.stdin(std::fs::File::open(&script).expect("the script"));
    command.arg("--").arg(&program.path).arg(&file);
    support::finish(command)
}

const DEATH: &str =
    "Program terminated with signal SIGKILL, Killed.\nThe program no longer exists.\n";

#[test]
fn killed_while_it_stands() {
    let program = Program::build("endless");
    // What needs the program fails or tells of the death; what does not goes on.
    let mut commands = vec!["break slow"];
    let asked = [
        "bt",
        "print total",
        "step",
        "finish",
        "print slow(1)",
        "watch total",
        "set var total = 3",
        "info threads",
        "return",
        "x/4x $sp",
    ];
    for question in asked {
        commands.extend(["run", "KILL", question, "info procs", "continue"]);
    }
    let said = session(&program, &commands);
    assert_eq!(said.out.matches(DEATH).count(), asked.len(), "{}", said.out);
    said.ends_with(0);
}

#[test]
fn killed_while_it_runs() {
    let program = Program::build("endless");
    let running = [
        "continue",
        "next 1000000",
        "finish",
        "print slow(100000)",
        "until 24",
        "step 1000000",
        "stepi 1000000000",
        "while 1",
    ];
    let mut commands = Vec::new();
    for way in running {
        commands.extend(["tbreak slow", "run", "SOON", way]);
        if way == "while 1" {
            commands.extend(["step", "end"]);
        }
        commands.push("info procs");
    }
    let said = session(&program, &commands);
    assert_eq!(
        said.out.matches(DEATH).count(),
        running.len(),
        "{}",
        said.out
    );
    assert_eq!(
        said.out.matches("killed (SIGKILL)").count(),
        running.len(),
        "{}",
        said.out
    );
    assert!(
        said.err
            .contains("exited while in a function called from Wayfarer."),
        "{}",
        said.err
    );
    said.ends_with(0);
}
