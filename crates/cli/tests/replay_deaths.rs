//! A replay in the middle of a long `continue`: Ctrl-C gives the prompt back, and whoever of us dies takes the
//! replayed program along.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rexpect::session::spawn_command;
use support::{Program, Trace};

const PATIENCE: Duration = Duration::from_secs(30);

/// What makes the replay take minutes.
const LONG: &str = "break turn if number < 0";

fn wait_until<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Processes that run a program.
fn running(program: &Path) -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("processes").flatten();
    all.filter_map(|entry| {
        let runs = fs::read_link(entry.path().join("exe")).ok()?;
        (runs == program).then(|| entry.file_name().to_str()?.parse().ok())?
    })
    .collect()
}

/// Time that a process has used, in hundredths of a second.
fn ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields = stat.rsplit(')').next()?.split_whitespace();
    let of_user_and_system = fields.skip(11).take(2);
    of_user_and_system
        .map(|field| field.parse::<u64>().ok())
        .sum()
}

fn first_child(pid: u32) -> Option<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    tasks.flatten().find_map(|task| {
        let children = fs::read_to_string(task.path().join("children")).ok()?;
        children.split_whitespace().next()?.parse().ok()
    })
}

/// A debugger whose replay is under way: the program has used some time.
fn under_way(program: &Program, trace: &Trace) -> Child {
    let debugger = trace
        .command(&["--batch", "-e", LONG, "-e", "continue"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the debugger starts");
    wait_until("the replay runs", || {
        let pid = *running(&program.path).first()?;
        (ticks(pid)? > 20).then_some(())
    });
    debugger
}

fn kill(pid: u32) {
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status();
    assert!(killed.expect("kill").success());
}

#[test]
fn ctrl_c_gives_the_prompt_back() {
    let program = Program::build("turns");
    let trace = Trace::of(&program, &[]);
    let mut command = trace.command(&[]);
    command.env("TERM", "xterm").env("NO_COLOR", "1");
    command.stdin(Stdio::inherit());
    let mut session = spawn_command(command, Some(30_000)).expect("a terminal");
    session.exp_string("(wayfarer) ").expect("a prompt");
    for line in [LONG, "tbreak main", "continue"] {
        session.send_line(line).expect("typing works");
        session.exp_string("(wayfarer) ").expect("the prompt");
    }
    session.send_line("continue").expect("typing works");
    let pid = running(&program.path)[0];
    let before = ticks(pid).expect("the program lives");
    wait_until("the replay runs", || {
        (ticks(pid)? > before + 10).then_some(())
    });
    session.send_control('c').expect("Ctrl-C");
    session.exp_string("(wayfarer) ").expect("the prompt");
    session.send_line("bt").expect("typing works");
    session.exp_string("main () at turns.c:").expect("a stack");
    session.exp_string("(wayfarer) ").expect("the prompt");
    session.send_line("delete 1").expect("typing works");
    session.exp_string("(wayfarer) ").expect("the prompt");
    session.send_line("continue").expect("typing works");
    session
        .exp_string("[End of the recording: identical")
        .expect("the end");
    session.exp_string("(wayfarer) ").expect("the prompt");
    session.send_line("quit").expect("typing works");
    session.exp_eof().expect("the end");
}

#[test]
fn the_death_of_the_debugger_ends_the_program() {
    let program = Program::build("turns");
    let trace = Trace::of(&program, &[]);
    let mut debugger = under_way(&program, &trace);
    debugger.kill().expect("it can be killed");
    debugger.wait().expect("it ends");
    wait_until("the program ends", || {
        running(&program.path).is_empty().then_some(())
    });
}

#[test]
fn the_death_of_the_agent_ends_the_program_and_is_told() {
    let program = Program::build("turns");
    let trace = Trace::of(&program, &[]);
    let mut debugger = under_way(&program, &trace);
    let worker = first_child(debugger.id()).and_then(first_child);
    kill(worker.expect("the agent"));
    let status = debugger.wait().expect("it ends");
    assert!(!status.success());
    wait_until("the program ends", || {
        running(&program.path).is_empty().then_some(())
    });
}
