//! `wayfarer replay`.

use serde::Serialize;
use wayfarer_agent::replay::{self, ReplayError, ReplayReport};
use wayfarer_replay::Explanation;
use wayfarer_runtime_abi::layout::process_state;
use wayfarer_trace::Trace;

use crate::options::ReplayOptions;
use crate::say;

const IDENTICAL: i32 = 0;
const DIVERGED: i32 = 3;

pub fn run(options: &ReplayOptions) -> i32 {
    let interactive = options.batch || !options.execute.is_empty() || !options.script.is_empty();
    if interactive && !options.check {
        say::line(
            "not yet: interactive replay and its commands (-e, -x, --batch); use `wayfarer replay --check DIR` meanwhile",
        );
        return 2;
    }
    let trace = match Trace::open(&options.trace) {
        Ok(trace) => trace,
        Err(error) => {
            say::line(&error.to_string());
            return 2;
        }
    };
    tell_of_opaque(&trace);
    let wanted = replay::ReplayOptions {
        only: options.only.as_deref(),
        accept_damage: !options.check,
    };
    match replay::replay(&trace, wanted) {
        Ok(report) => tell(options, &report),
        Err(error) => {
            say::line(&error.to_string());
            if matches!(error, ReplayError::Launch(_)) {
                say::line("`wayfarer doctor` shows what this machine lacks");
            }
            error.exit_code()
        }
    }
}

/// What an opaque process printed cannot be shown again; nobody should wonder.
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

fn tell(options: &ReplayOptions, report: &ReplayReport) -> i32 {
    for damage in &report.damage {
        say::line(damage);
    }
    for place in &report.ends_at {
        say::line(&format!("the trace ends here: {place}"));
    }
    if let Some(explanation) = &report.explanation {
        say::line(&explanation.to_string());
    } else if !options.check || (say::to_a_terminal() && !options.json) {
        say::line(&format!(
            "identical: {} events of {} threads in {} processes, exit status {}",
            report.events, report.threads, report.processes, report.status
        ));
    }
    if options.json {
        if report.open_line {
            // The verdict has a line of its own, whatever the program left behind.
            say::fact("");
        }
        say::fact(&verdict(report));
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
}

fn verdict(report: &ReplayReport) -> String {
    let verdict = Verdict {
        identical: report.explanation.is_none(),
        status: report.status,
        processes: report.processes,
        threads: report.threads,
        events: report.events,
        trace_bytes: report.trace_bytes,
        divergence: report.explanation.as_ref(),
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
        };
        let text = verdict(&report);
        let promised = r#"{"identical":true,"status":7,"processes":1,"threads":2,"events":3,"trace_bytes":4,"divergence":null}"#;
        assert_eq!(text, promised);
    }
}
