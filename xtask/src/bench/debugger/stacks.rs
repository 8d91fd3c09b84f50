//! The stacks of many threads with all their variables.

use super::session::Session;
use super::{Tool, debuggee, ratio};
use crate::bench::Bench;
use crate::bench::report::Line;
use crate::failure::{Failure, failure};
use std::path::Path;

const THREADS: usize = 256;

pub fn lines(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let debuggee = &debuggee(bench)?;
    let mut pairs = Vec::new();
    for round in 0..=bench.rounds {
        let gdb = seconds(bench, Tool::Gdb, debuggee)?;
        let ours = seconds(bench, Tool::Wayfarer, debuggee)?;
        if round > 0 {
            pairs.push((gdb, ours));
        }
    }
    Ok(vec![ratio(
        "stacks",
        "stacks of 256 threads with locals: s",
        &pairs,
        0.5,
    )])
}

fn seconds(bench: &Bench, tool: Tool, debuggee: &Path) -> Result<f64, Failure> {
    let commands = ["break all_here", "run"];
    let program = debuggee.display().to_string();
    let count = THREADS.to_string();
    let words = [program.as_str(), "threads", &count];
    let mut session = Session::start(&mut tool.command(bench, &commands, &words))?;
    session.wait_for("Breakpoint 1, ")?;
    session.send("echo ready\\n")?;
    session.wait_for("ready")?;
    let sent = session.send("thread apply all bt full")?;
    session.send("echo complete\\n")?;
    let (arrived, stacks) = session.wait_for("complete")?;
    session.end();
    // Both must have done the same work: all but the first thread wait in the same function, and
    // each of their frames has its variables.
    for (wanted, times) in [
        (" wait_here (", THREADS - 1),
        ("text = ", THREADS - 1),
        ("before = ", 6 * (THREADS - 1)),
        ("weights = ", 7 * (THREADS - 1)),
    ] {
        let found = stacks.matches(wanted).count();
        if found != times {
            return Err(failure(format!(
                "the stacks have '{wanted}' {found} times instead of {times}"
            )));
        }
    }
    Ok(arrived.duration_since(sent).as_secs_f64())
}
