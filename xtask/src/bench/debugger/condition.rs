//! A breakpoint whose condition never holds, hit often.

use super::session::Session;
use super::{Tool, debuggee, ratio};
use crate::bench::Bench;
use crate::bench::report::Line;
use crate::failure::{Failure, failure};
use std::path::Path;

const HITS: &str = "10000";

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
        "false_condition",
        "10,000 hits of a condition that is false: s",
        &pairs,
        0.3,
    )])
}

/// What the program itself measured.
fn seconds(bench: &Bench, tool: Tool, debuggee: &Path) -> Result<f64, Failure> {
    let commands = ["break tick if number == -1", "run"];
    let program = debuggee.display().to_string();
    let words = [program.as_str(), "ticks", HITS];
    let mut session = Session::start(&mut tool.command(bench, &commands, &words))?;
    session.wait_for("seconds: ")?;
    let (_, number) = session.wait_for("\n")?;
    session.send("info breakpoints")?;
    session.send("echo complete\\n")?;
    let (_, table) = session.wait_for("complete")?;
    session.end();
    if !table.contains("number == -1") {
        return Err(failure(format!("the condition was not set: {table}")));
    }
    number
        .trim()
        .parse()
        .map_err(|_| failure(format!("debuggee said: {number}")))
}
