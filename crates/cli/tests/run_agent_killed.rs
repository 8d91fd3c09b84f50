//! The agent is killed while attached programs run into breakpoints: the debugger says so and ends, they go on.

mod support;

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Program, wayfarer};

const PATIENCE: Duration = Duration::from_secs(30);

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

fn start(program: &Program) -> Child {
    let mut child = Command::new(&program.path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut up = [0; 3];
    let output = child.stdout.as_mut().expect("piped");
    output.read_exact(&mut up).expect("the program comes up");
    child
}

fn first_child(pid: u32) -> Option<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    tasks.flatten().find_map(|task| {
        let children = fs::read_to_string(task.path().join("children")).ok()?;
        children.split_whitespace().next()?.parse().ok()
    })
}

/// What of us can be seen in a process: code that is in no file, handlers, a tracer.
fn looks(pid: u32) -> Vec<String> {
    let read = |name| fs::read_to_string(format!("/proc/{pid}/{name}")).expect("the program lives");
    let of_interest = |line: &&str| {
        line.contains("r-xp") || line.starts_with("SigCgt:") || line.starts_with("TracerPid:")
    };
    let (maps, status) = (read("maps"), read("status"));
    let lines = maps.lines().chain(status.lines());
    lines.filter(of_interest).map(str::to_owned).collect()
}

/// Has breakpoints reached thousands of times a second, and kills the working half of the agent in the middle.
fn survives(commands: &[&str]) {
    let program = Program::build("busy");
    let mut children = [start(&program), start(&program)];
    let before = children.each_ref().map(|child| looks(child.id()));
    for round in 0..4 {
        let mut command = wayfarer(program.directory());
        command.args(["attach", "--batch"]);
        for line in commands {
            command.args(["-e", line]);
        }
        let pids = children.each_ref().map(|child| child.id().to_string());
        let mut debugger = command
            .args(pids)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the debugger starts");
        let worker = wait_until("the agent", || first_child(first_child(debugger.id())?));
        // The cushion comes first, then the breakpoints; how many hits there have been by then does not matter.
        wait_until("the agent attaches", || {
            (looks(children[1].id()) != before[1]).then_some(())
        });
        std::thread::sleep(Duration::from_millis(150 + 53 * round));
        let killed = Command::new("kill")
            .args(["-9", &worker.to_string()])
            .status();
        assert!(killed.expect("kill").success());
        debugger.wait().expect("the debugger ends");
        for (child, before) in children.iter_mut().zip(&before) {
            wait_until("the program is left alone", || {
                assert_eq!(child.try_wait().expect("a state"), None, "the program died");
                (looks(child.id()) == *before).then_some(())
            });
        }
    }
    for child in &mut children {
        drop(child.stdin.take());
        assert_eq!(child.wait().expect("an end").code(), Some(7));
    }
}

#[test]
fn a_condition_that_is_false() {
    survives(&["break turn if number < 0", "continue"]);
}

#[test]
fn a_message_at_every_hit() {
    survives(&["dprintf turn,\"%d\\n\",number", "continue"]);
}

#[test]
fn stops_that_go_on_by_themselves() {
    let program = Program::build("busy");
    let script = program.directory().join("script");
    fs::write(
        &script,
        "break turn\ncommands\nsilent\ncontinue\nend\ncontinue\n",
    )
    .expect("a file");
    survives(&[&format!("source {}", script.display())]);
}
