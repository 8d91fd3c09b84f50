//! `wayfarer replay`: a recorded run under the debugger, or compared with its recording.

use serde::Serialize;
use wayfarer_debugger::OpenTrace;
use wayfarer_recorder::raced;
use wayfarer_recorder::replay::{self, ReplayError, ReplayReport, SolidChoice};
use wayfarer_replay::Explanation;
use wayfarer_runtime_abi::layout::{Delay, process_state};
use wayfarer_trace::Trace;

use crate::options::ReplayOptions;
use crate::{live, say};

const IDENTICAL: i32 = 0;
const DIVERGED: i32 = 3;

pub fn run(options: &ReplayOptions) -> i32 {
    if options.check {
        check(options)
    } else {
        live::converse(&options.live, |interpreter| {
            interpreter.debugger.open_trace(OpenTrace {
                directory: std::path::absolute(&options.trace)
                    .unwrap_or_else(|_| options.trace.clone()),
                accept_damage: true,
            })?;
            Ok(())
        })
    }
}

/// Replays all and compares everything, without a prompt.
fn check(options: &ReplayOptions) -> i32 {
    let trace = match Trace::open(&options.trace) {
        Ok(trace) => trace,
        Err(error) => {
            say::line(&error.to_string());
            return 2;
        }
    };
    tell_of_opaque(&trace);
    tell_of_solid(&trace, options);
    match attempts(&trace, options) {
        Ok((report, attempt)) => tell(options, &report, attempt),
        Err(error) => {
            say::line(&error.to_string());
            if matches!(error, ReplayError::Launch(_)) {
                say::line("`wayfarer doctor` shows what this machine lacks");
            }
            error.exit_code()
        }
    }
}

/// Replays once, and with `--retry` again while it diverges and another try may help. The last report,
/// and which attempt it is of.
fn attempts(trace: &Trace, options: &ReplayOptions) -> Result<(ReplayReport, u32), ReplayError> {
    let mut attempt = 1;
    loop {
        let wanted = replay::ReplayOptions {
            only: options.only.as_deref(),
            accept_damage: false,
            perturb: attempt > 1,
            solid: options
                .solid_delays
                .as_ref()
                .map_or(SolidChoice::Recorded, |delays| {
                    SolidChoice::Delays(&delays.0)
                }),
        };
        let report = replay::replay(trace, wanted)?;
        let Some(explanation) = report.explanation.as_ref() else {
            return Ok((report, attempt));
        };
        if attempt > options.retry {
            return Ok((report, attempt));
        }
        if !report.parallel {
            say::line(
                "--retry: no process of this trace was recorded in parallel, so another try would differ in the same way",
            );
            return Ok((report, attempt));
        }
        learn(explanation);
        say::line(&format!(
            "attempt {attempt} diverged ({} in {}); trying again with other timing",
            explanation.kind, explanation.process
        ));
        attempt += 1;
    }
}

/// The next recording of a program that raced is a serial one.
fn learn(explanation: &Explanation) {
    if let Some(file) = explanation.raced.as_ref().and_then(raced::remember) {
        say::line(&format!(
            "from now on `--threads auto` records {} serially on this machine (to undo that, remove {})",
            explanation.process,
            file.display()
        ));
    }
}

/// An exact replay of a parallel trace is worth a word to a person.
fn tell_of_solid(trace: &Trace, options: &ReplayOptions) {
    match trace.solid() {
        Err(problem) => say::line(problem),
        Ok(Some(_)) if options.solid_delays.is_none() && say::to_a_terminal() => {
            say::line(
                "this trace is solid: its threads run one at a time, as in an identical replay before",
            );
        }
        Ok(_) => {}
    }
}

/// What an opaque process printed cannot be shown again: the user is told so.
fn tell_of_opaque(trace: &Trace) {
    let opaque: Vec<&str> = trace
        .processes()
        .iter()
        .filter(|process| process.state == process_state::OPAQUE)
        .map(|process| process.name.as_str())
        .collect();
    if !opaque.is_empty() {
        say::line(&format!(
            "not followed while recording, so what they did is left out here: {}",
            opaque.join(", ")
        ));
    }
}

fn tell(options: &ReplayOptions, report: &ReplayReport, attempt: u32) -> i32 {
    for damage in &report.damage {
        say::line(damage);
    }
    for place in &report.ends_at {
        say::line(&format!("the trace ends here: {place}"));
    }
    if let Some(explanation) = &report.explanation {
        say::line(&explanation.to_string());
        learn(explanation);
    } else if say::to_a_terminal() && !options.live.json {
        say::line(&format!(
            "identical: {} events of {} threads in {} processes, exit status {}",
            report.events, report.threads, report.processes, report.status
        ));
    }
    if attempt > 1 {
        say::line(&match report.explanation {
            None => format!("attempt {attempt} was identical"),
            Some(_) => format!("none of {attempt} attempts was identical"),
        });
    }
    if options.live.json {
        if report.open_line {
            // The verdict has a line of its own, whatever the program left behind.
            say::fact("");
        }
        say::fact(&verdict(
            report,
            (options.retry > 0).then_some(attempt),
            options.solid_delays.is_some(),
        ));
    }
    if report.explanation.is_none() {
        IDENTICAL
    } else {
        DIVERGED
    }
}

/// The object that scripts read; its keys and their order are part of the outward contract.
#[derive(Serialize)]
struct Verdict<'a> {
    identical: bool,
    status: i32,
    processes: u64,
    threads: u64,
    events: u64,
    trace_bytes: u64,
    divergence: Option<&'a Explanation>,
    /// With `--retry`: how many replays it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<u32>,
    /// With `--solid-delays`: where a delay may make a difference, process and point.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_ends: Option<Vec<(u16, u32)>>,
}

fn verdict(report: &ReplayReport, attempts: Option<u32>, with_turn_ends: bool) -> String {
    let place = |end: &Delay| (end.process, end.point);
    let verdict = Verdict {
        identical: report.explanation.is_none(),
        status: report.status,
        processes: report.processes,
        threads: report.threads,
        events: report.events,
        trace_bytes: report.trace_bytes,
        divergence: report.explanation.as_ref(),
        attempts,
        turn_ends: with_turn_ends.then(|| report.turn_ends.iter().map(place).collect()),
    };
    // Numbers, strings and lists of them always have a JSON form.
    serde_json::to_string(&verdict).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_has_the_promised_keys() {
        let report = ReplayReport {
            explanation: None,
            status: 7,
            processes: 1,
            threads: 2,
            events: 3,
            trace_bytes: 4,
            open_line: false,
            ends_at: Vec::new(),
            damage: Vec::new(),
            parallel: false,
            turn_ends: Vec::new(),
        };
        let text = verdict(&report, None, false);
        let promised = r#"{"identical":true,"status":7,"processes":1,"threads":2,"events":3,"trace_bytes":4,"divergence":null}"#;
        assert_eq!(text, promised);
        let retried = verdict(&report, Some(2), false);
        assert!(
            retried.ends_with(r#""divergence":null,"attempts":2}"#),
            "{retried}"
        );
    }
}
