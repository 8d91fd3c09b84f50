//! Real programs from Debian packages: record, delete what they worked on, replay, compare.

mod place;
mod record;
mod replay;
mod scenario;

use crate::failure::{At, Failure, failure};
use crate::{scratch, workspace};
use place::Place;
pub use record::wait_for_port;
use scenario::{SCENARIOS, Scenario};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// One row of the table.
#[derive(Default)]
struct Row {
    recorded: bool,
    events: Option<u64>,
    trace_bytes: Option<u64>,
    identical: Option<bool>,
    problem: Option<String>,
}

impl Row {
    fn passed(&self) -> bool {
        self.problem.is_none()
    }
}

/// `cargo x gauntlet [--plain] [NAME…]`
pub fn run(words: &[&str]) -> Result<(), Failure> {
    let plain = words.contains(&"--plain");
    let chosen = choose(
        words
            .iter()
            .copied()
            .filter(|word| *word != "--plain")
            .collect(),
    )?;
    install_packages()?;
    let wayfarer = if plain {
        None
    } else {
        Some(workspace::wayfarer()?)
    };

    println!(
        "{:<16} {:>8} {:>9} {:>9} {:>9} {:>8}",
        "program", "recorded", "events", "trace kB", "identical", "seconds"
    );
    let mut failed = 0;
    for scenario in &chosen {
        let began = Instant::now();
        let row = attempt(scenario, wayfarer.as_deref());
        print_row(scenario.name, &row, began.elapsed().as_secs_f64());
        if let Some(problem) = &row.problem {
            println!("    {problem}");
            println!("    again: cargo x gauntlet {}", scenario.name);
            failed += 1;
        }
    }
    println!("{} passed, {failed} failed", chosen.len() - failed);
    if failed == 0 {
        Ok(())
    } else {
        Err(failure("the gauntlet has failures"))
    }
}

fn choose(names: Vec<&str>) -> Result<Vec<&'static Scenario>, Failure> {
    if names.is_empty() {
        return Ok(SCENARIOS.iter().collect());
    }
    let find = |name: &&str| {
        SCENARIOS
            .iter()
            .find(|scenario| scenario.name == *name)
            .ok_or_else(|| {
                let known: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
                Failure::usage(format!(
                    "no scenario '{name}'; there are: {}",
                    known.join(", ")
                ))
            })
    };
    names.iter().map(find).collect()
}

/// Installs the programs of the scenarios where they are missing.
pub fn install_packages() -> Result<(), Failure> {
    let script = workspace::root().join("scripts/install-packages.sh");
    let output = Command::new("bash")
        .arg(&script)
        .output()
        .at("running", &script)?;
    if output.status.success() {
        Ok(())
    } else {
        Err(failure(
            String::from_utf8_lossy(&output.stderr).trim().to_string(),
        ))
    }
}

fn attempt(scenario: &Scenario, wayfarer: Option<&Path>) -> Row {
    let mut row = Row::default();
    let mut place = match Place::new(scenario.name) {
        Ok(place) => place,
        Err(failure) => {
            row.problem = Some(failure.to_string());
            return row;
        }
    };
    if let Err(failure) = record_and_replay(scenario, &place, wayfarer, &mut row) {
        row.problem = Some(failure.to_string());
    }
    if let Some(problem) = &mut row.problem {
        place.keep();
        problem.push_str(&format!("\n    kept for you: {}", place.path().display()));
    }
    row
}

/// How often a replay of programs that race by themselves is tried.
const ATTEMPTS: u32 = 5;

fn record_and_replay(
    scenario: &Scenario,
    place: &Place,
    wayfarer: Option<&Path>,
    row: &mut Row,
) -> Result<(), Failure> {
    let finished = record::run(&scenario.plan, place, wayfarer)?;
    if !finished.succeeded() {
        let said = std::fs::read_to_string(place.file("stderr")).unwrap_or_default();
        let end = finished.describe();
        return Err(failure(format!(
            "recorded run: {end}: {}",
            replay::last_lines(&said)
        )));
    }
    row.recorded = true;
    let Some(wayfarer) = wayfarer else {
        return Ok(());
    };

    // A replay needs none of the files that the programs worked on.
    std::fs::remove_dir_all(place.work()).at("removing", place.work())?;
    row.trace_bytes = Some(scratch::size(&place.trace()));
    for number in 1..=scenario.replays {
        let mut replayed = replay::run(place, wayfarer, finished.status)?;
        if let Some(race) = scenario.races {
            let mut attempt = 1;
            while let Some(difference) = &replayed.difference
                && attempt < ATTEMPTS
            {
                println!("    replay {number}, attempt {attempt}: {difference} ({race})");
                replayed = replay::run(place, wayfarer, finished.status)?;
                attempt += 1;
            }
        }
        row.events = Some(replayed.events);
        row.identical = Some(replayed.difference.is_none());
        if let Some(difference) = replayed.difference {
            let seconds = replayed.seconds;
            return Err(failure(format!(
                "replay {number}, {seconds:.1} s: {difference}"
            )));
        }
    }
    Ok(())
}

fn print_row(name: &str, row: &Row, seconds: f64) {
    let number = |value: Option<u64>| value.map_or("-".to_string(), |value| value.to_string());
    println!(
        "{name:<16} {:>8} {:>9} {:>9} {:>9} {seconds:>8.1}{}",
        if row.recorded { "yes" } else { "NO" },
        number(row.events),
        number(row.trace_bytes.map(|bytes| bytes.div_ceil(1000))),
        row.identical
            .map_or("-", |identical| if identical { "yes" } else { "NO" }),
        if row.passed() { "" } else { "  FAILED" },
    );
}
