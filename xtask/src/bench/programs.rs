//! Whole programs: starting one, many short ones, and one with many small messages.

use super::Bench;
use super::measure::{Pairs, Run, alternate, median};
use super::report::{Bar, Line};
use super::runs::{command, output};
use crate::failure::Failure;
use crate::{scratch, workspace};
use std::process::Command;
use std::time::Instant;

/// Start-up is short and noisy: more pairs for the same patience.
const START_UP_FACTOR: usize = 4;

/// `wayfarer record true`
pub fn start_up(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let mut trace_kilobytes = Vec::new();
    let mut pairs = Vec::new();
    for _ in 0..START_UP_FACTOR {
        pairs.extend(alternate(bench, |run| {
            let seconds = timed(&mut command(bench, run, &["true"]))?;
            if run == Run::Recorded {
                let trace = bench.scratch.path().join("trace");
                trace_kilobytes.push(scratch::size(&trace) as f64 / 1000.0);
            }
            Ok(seconds * 1000.0)
        })?);
    }
    let pairs = Pairs::new(pairs);
    Ok(vec![
        Line {
            key: "start_up",
            what: "wayfarer record true: more",
            unit: "ms",
            plain: Some(pairs.plain()),
            recorded: Some(pairs.recorded()),
            value: pairs.difference(),
            bar: Bar::AtMost(30.0),
        },
        Line {
            key: "start_up_trace",
            what: "wayfarer record true: trace",
            unit: "kB",
            plain: None,
            recorded: None,
            value: median(&trace_kilobytes),
            bar: Bar::AtMost(100.0),
        },
    ])
}

/// `make -j2` of ten small C files
pub fn make(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let directory = bench.scratch.path().join("project").display().to_string();
    let prepare = workspace::root().join("scripts/gauntlet/make/prepare.sh");
    output(Command::new("bash").arg(prepare).arg(&directory))?;
    let pairs = Pairs::new(alternate(bench, |run| {
        output(Command::new("make").args(["-C", &directory, "clean"]))?;
        timed(&mut command(bench, run, &["make", "-C", &directory, "-j2"]))
    })?);
    Ok(vec![ratio_line(
        "make",
        "make -j2 of ten small C files: s, ratio",
        &pairs,
        1.6,
    )])
}

/// The asyncio echo program, 5,000 round trips over ten connections
pub fn echo(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let script = workspace::root()
        .join("scripts/gauntlet/python/echo.py")
        .display()
        .to_string();
    let pairs = Pairs::new(alternate(bench, |run| {
        timed(&mut command(
            bench,
            run,
            &["/usr/bin/python3", &script, "5000", "10"],
        ))
    })?);
    Ok(vec![ratio_line(
        "echo",
        "asyncio echo, 5,000 round trips: s, ratio",
        &pairs,
        1.3,
    )])
}

fn ratio_line(key: &'static str, what: &'static str, pairs: &Pairs, bar: f64) -> Line {
    Line {
        key,
        what,
        unit: "x",
        plain: Some(pairs.plain()),
        recorded: Some(pairs.recorded()),
        value: pairs.ratio(),
        bar: Bar::AtMost(bar),
    }
}

/// Wall seconds of a command that must succeed.
fn timed(command: &mut Command) -> Result<f64, Failure> {
    let began = Instant::now();
    output(command)?;
    Ok(began.elapsed().as_secs_f64())
}
