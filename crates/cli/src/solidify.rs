//! `wayfarer solidify`: looks for an exact replay of a parallel trace.
//!
//! A replay in which the threads run one at a time, under a fixed rule, comes out the same whenever it
//! is made. Such rules differ in where threads are delayed; one under which the replay is identical with the
//! recording makes the trace exact from then on: data races, too.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use serde::Deserialize;
use wayfarer_replay::{Attempt, Search};
use wayfarer_runtime_abi::layout::Delay;
use wayfarer_trace::{Solid, Summary, ThreadsMode, Trace};

use crate::options::SolidifyOptions;
use crate::{OWN_FAILURE, delays, say};

/// Found nothing: the answer is no.
const NOT_FOUND: i32 = 1;
const IDENTICAL: i32 = 0;
const DIVERGED: i32 = 3;
/// A person is told how it goes, this often.
const WORD_EVERY: u32 = 100;

pub fn run(options: &SolidifyOptions) -> i32 {
    let trace = match Trace::open(&options.trace) {
        Ok(trace) => trace,
        Err(error) => {
            say::line(&error.to_string());
            return 2;
        }
    };
    if !is_parallel(&trace.summary()) {
        say::line(
            "nothing to do: no process of this trace was recorded in parallel, so its replay is exact already",
        );
        return 0;
    }
    if let Ok(Some(solid)) = trace.solid() {
        say::line(&format!(
            "this trace is solid already: {}, found in {}",
            times(solid.delays.len(), "delay"),
            times(solid.attempts as usize, "attempt")
        ));
        return 0;
    }
    let found = search(options.attempts, &mut |delays| replay(options, delays));
    match found {
        Found::Exact { delays, attempts } => {
            let solid = Solid {
                delays,
                attempts,
                recording: trace.manifest().start_realtime_ns,
            };
            match solid.write(&options.trace) {
                Ok(()) => {
                    say::line(&format!(
                        "solid after {}: from now on every replay of this trace is exact",
                        times(attempts as usize, "attempt")
                    ));
                    0
                }
                Err(error) => {
                    say::line(&format!(
                        "a replay is identical, but the trace cannot be written: {error}"
                    ));
                    2
                }
            }
        }
        Found::Nothing { attempts } => {
            say::line(&format!(
                "none of {} was identical; try more with --attempts, or record again with --threads serial",
                times(attempts as usize, "attempt")
            ));
            NOT_FOUND
        }
        Found::Failure(code) => code,
    }
}

fn times(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        more => format!("{more} {what}s"),
    }
}

fn is_parallel(summary: &Summary) -> bool {
    summary
        .processes
        .iter()
        .flat_map(|process| &process.choices)
        .any(|choice| choice.mode == ThreadsMode::Parallel)
}

/// How a search ended.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Exact {
        delays: Vec<Delay>,
        attempts: u32,
    },
    Nothing {
        attempts: u32,
    },
    /// A replay failed otherwise than by diverging; its exit code.
    Failure(i32),
}

/// How one replay ended.
enum Ended {
    Identical,
    Different(Attempt),
    Failed(i32),
}

/// Tries delays until some give an identical replay, and give it again.
fn search(most: u32, replay: &mut dyn FnMut(&[Delay]) -> Ended) -> Found {
    let mut search = Search::default();
    for attempt in 1..=most {
        let Some(delays) = search.next_attempt() else {
            return Found::Nothing {
                attempts: attempt - 1,
            };
        };
        let mut ended = replay(&delays);
        if matches!(ended, Ended::Identical) {
            // What is promised from now on must hold at least once more.
            ended = replay(&delays);
        }
        match ended {
            Ended::Identical => {
                return Found::Exact {
                    delays,
                    attempts: attempt,
                };
            }
            Ended::Different(how) => search.differed(delays, how),
            Ended::Failed(code) => return Found::Failure(code),
        }
        if attempt % WORD_EVERY == 0 && say::to_a_terminal() {
            say::line(&format!("{attempt} attempts so far"));
        }
    }
    Found::Nothing { attempts: most }
}

/// What a replay says about itself.
#[derive(Deserialize)]
struct Verdict {
    events: u64,
    turn_ends: Vec<(u16, u32)>,
}

/// One replay, in a process of its own and without its output.
fn replay(options: &SolidifyOptions, delays: &[Delay]) -> Ended {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            say::line(&format!("cannot find our own program: {error}"));
            return Ended::Failed(OWN_FAILURE);
        }
    };
    let arguments: [OsString; 6] = [
        "replay".into(),
        "--check".into(),
        "--json".into(),
        "--solid-delays".into(),
        delays::text(delays).into(),
        options.trace.clone().into_os_string(),
    ];
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            say::line(&format!("cannot start a replay: {error}"));
            return Ended::Failed(OWN_FAILURE);
        }
    };
    match output.status.code().unwrap_or(OWN_FAILURE) {
        IDENTICAL => Ended::Identical,
        DIVERGED => match verdict(&output.stdout) {
            Some(verdict) => Ended::Different(Attempt {
                events: verdict.events,
                turn_ends: verdict.turn_ends,
            }),
            None => {
                say::line("a replay ended without its verdict");
                Ended::Failed(OWN_FAILURE)
            }
        },
        code => {
            let text = String::from_utf8_lossy(&output.stderr);
            for line in text.lines() {
                say::line(line.strip_prefix("wayfarer: ").unwrap_or(line));
            }
            Ended::Failed(code)
        }
    }
}

/// The verdict is the last line, after whatever the program printed.
fn verdict(output: &[u8]) -> Option<Verdict> {
    let line = output
        .trim_ascii_end()
        .rsplit(|byte| *byte == b'\n')
        .next()?;
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn different() -> Ended {
        Ended::Different(Attempt {
            events: 1,
            turn_ends: vec![(1, 5), (1, 7)],
        })
    }

    #[test]
    fn the_first_delays_that_hold_twice_are_taken() {
        let mut tried: Vec<Vec<Delay>> = Vec::new();
        let found = search(50, &mut |delays| {
            tried.push(delays.to_vec());
            let times = tried.iter().filter(|other| *other == delays).count();
            match delays {
                // Identical by luck.
                [] if times == 1 => Ended::Identical,
                [delay] if delay.point == 7 && delay.others == 0 => Ended::Identical,
                _ => different(),
            }
        });
        let Found::Exact { delays, attempts } = found else {
            panic!("{found:?}");
        };
        assert_eq!(tried[..2], [[], []]);
        assert_eq!(tried[tried.len() - 2..], [delays.clone(), delays]);
        assert_eq!(tried.len() as u32, attempts + 2);
    }

    #[test]
    fn a_search_ends() {
        assert_eq!(
            search(3, &mut |_| different()),
            Found::Nothing { attempts: 3 }
        );
        assert_eq!(search(3, &mut |_| Ended::Failed(130)), Found::Failure(130));
    }

    #[test]
    fn the_verdict_is_the_last_line() {
        let found = verdict(b"hello {\n{\"events\":7,\"turn_ends\":[[1,2]]}\n").expect("a verdict");
        assert_eq!((found.events, found.turn_ends), (7, vec![(1, 2)]));
        assert!(verdict(b"hello").is_none());
    }
}
