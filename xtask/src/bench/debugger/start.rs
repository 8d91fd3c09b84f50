//! From nothing to the first breakpoint of a large Rust program with full debug information.

use super::session::{Session, peak_kilobytes};
use super::{Tool, ratio};
use crate::bench::Bench;
use crate::bench::report::Line;
use crate::failure::Failure;
use crate::{process, workspace};
use std::path::PathBuf;

/// One start.
struct Start {
    seconds: f64,
    /// The debugger and, where it has one, its agent.
    peak_megabytes: f64,
}

pub fn lines(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let program = large_program()?.display().to_string();
    let mut cold_seconds = Vec::new();
    let mut cold_megabytes = Vec::new();
    let mut cached_seconds = Vec::new();
    let mut cached_megabytes = Vec::new();
    for round in 0..=bench.rounds {
        let gdb = start(bench, Tool::Gdb, &program)?;
        // Nothing is there the first time.
        let _ = std::fs::remove_dir_all(bench.scratch.path().join("cache"));
        let cold = start(bench, Tool::Wayfarer, &program)?;
        let cached = start(bench, Tool::Wayfarer, &program)?;
        // The first round warms the kernel's caches.
        if round > 0 {
            cold_seconds.push((gdb.seconds, cold.seconds));
            cached_seconds.push((gdb.seconds, cached.seconds));
            cold_megabytes.push((gdb.peak_megabytes, cold.peak_megabytes));
            cached_megabytes.push((gdb.peak_megabytes, cached.peak_megabytes));
        }
    }
    Ok(vec![
        ratio(
            "start_cold",
            "large Rust program to a breakpoint, no cache: s",
            &cold_seconds,
            0.5,
        ),
        ratio(
            "start_cached",
            "the same with the cache: s",
            &cached_seconds,
            0.2,
        ),
        ratio(
            "memory_cold",
            "peak memory with agent, no cache: MB",
            &cold_megabytes,
            0.5,
        ),
        ratio(
            "memory_cached",
            "the same with the cache: MB",
            &cached_megabytes,
            0.5,
        ),
    ])
}

fn start(bench: &Bench, tool: Tool, program: &str) -> Result<Start, Failure> {
    let commands = ["break wayfarer::run", "run"];
    let mut session = Session::start(&mut tool.command(bench, &commands, &[program, "doctor"]))?;
    // Where it stands comes last.
    session.wait_for("Breakpoint 1, ")?;
    let (arrived, _) = session.wait_for("main.rs:")?;
    let seconds = arrived.duration_since(session.began).as_secs_f64();
    // An answer shows that the stop has been told in full.
    session.send("echo complete\\n")?;
    session.wait_for("complete")?;
    let mut kilobytes = peak_kilobytes(session.id())?;
    if tool == Tool::Wayfarer {
        for agent in agents(session.id()) {
            kilobytes += peak_kilobytes(agent)?;
        }
    }
    session.end();
    Ok(Start {
        seconds,
        peak_megabytes: kilobytes / 1000.0,
    })
}

/// The processes of the agent that a debugger has started: the guardian and the one that works.
fn agents(debugger: u32) -> Vec<u32> {
    let is_agent = |process: &u32| {
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).nth(1) == Some(b"agent")
    };
    let mut found: Vec<u32> = Vec::new();
    let mut parents = vec![debugger];
    while let Some(parent) = parents.pop() {
        for child in process::children(parent).into_iter().filter(is_agent) {
            found.push(child);
            parents.push(child);
        }
    }
    found
}

/// Our own debug build.
fn large_program() -> Result<PathBuf, Failure> {
    workspace::run(&mut workspace::cargo(&["build", "--quiet"]))?;
    let target = workspace::target_directory(&workspace::root().join("Cargo.toml"))?;
    Ok(target.join("debug/wayfarer"))
}
