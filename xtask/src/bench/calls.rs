//! The price of single calls, told by a small C program that times itself.

use super::Bench;
use super::measure::{Pairs, alternate};
use super::report::{Bar, Line};
use super::runs::{command, output};
use crate::failure::{Failure, failure};
use crate::workspace;
use std::process::Command;

pub fn run(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let program = bench.scratch.path().join("calls").display().to_string();
    let source = workspace::root().join("benches/calls.c");
    output(
        Command::new("gcc")
            .args(["-O2", "-Wall", "-o", &program])
            .arg(source),
    )?;

    let measure = |kind: &str| -> Result<Pairs, Failure> {
        let pairs = alternate(bench, |run| {
            let said = output(&mut command(bench, run, &[&program, kind]))?;
            said.trim()
                .parse::<f64>()
                .map_err(|_| failure(format!("calls {kind} said: {said}")))
        })?;
        Ok(Pairs::new(pairs))
    };
    let patched = measure("pipe")?;
    let clock = measure("clock")?;
    let direct = measure("direct")?;
    Ok(vec![
        Line {
            key: "patched_call",
            what: "a call at a patched site (1 byte on a pipe): more",
            unit: "ns",
            plain: Some(patched.plain()),
            recorded: Some(patched.recorded()),
            value: patched.difference(),
            bar: Bar::AtMost(200.0),
        },
        Line {
            key: "clock_gettime",
            what: "clock_gettime: more",
            unit: "ns",
            plain: Some(clock.plain()),
            recorded: Some(clock.recorded()),
            value: clock.difference(),
            bar: Bar::AtMost(20.0),
        },
        Line {
            key: "dispatched_call",
            what: "a call caught by dispatch (1 byte from a pipe)",
            unit: "ns",
            plain: Some(direct.plain()),
            recorded: Some(direct.recorded()),
            value: direct.recorded(),
            bar: Bar::AtMost(4000.0),
        },
    ])
}
