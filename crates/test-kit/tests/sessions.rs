//! Watching changes nothing: every debuggee is recorded, and a session of breakpoints, steps and looks that a seed
//! chooses is held on the trace; the rest of the replay is identical, and says all that the recording said.
//!
//! `WAYFARER_SEED` takes another seed than the debuggee's own, `WAYFARER_COMMANDS` makes the sessions longer.

#[path = "sessions/script.rs"]
mod script;

use serde_json::Value;
use wayfarer_test_kit::debuggee::{Debuggee, Language, Unavailable};
use wayfarer_test_kit::failure::{Failure, first_difference, shorten};
use wayfarer_test_kit::harness::{self, Outcome, Test, Verdict};
use wayfarer_test_kit::process::{self, Finished, patience};
use wayfarer_test_kit::recording::{Recorder, Recording, without_our_words};
use wayfarer_test_kit::table::DEBUGGEES;
use wayfarer_test_kit::wayfarer;

/// Debuggees whose replays now and then differ when a session stops them, and why they are left out.
const LEFT_OUT: &[(&str, &str)] = &[(
    "threads/spin_barrier",
    "a turn that ends in a loop of the program's own may end elsewhere when the loop was stopped in",
)];
/// How many commands a session has before it goes on to the end.
const COMMANDS: u64 = 30;

fn main() {
    let tests = DEBUGGEES
        .iter()
        .map(|debuggee| Test::new(debuggee.name, move || hold_session(debuggee)));
    harness::run(tests.collect());
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Each debuggee has a seed of its own, always the same.
fn seed_of(debuggee: &Debuggee) -> u64 {
    number("WAYFARER_SEED").unwrap_or_else(|| {
        debuggee.name.bytes().fold(17, |seed: u64, byte| {
            seed.wrapping_mul(31).wrapping_add(byte.into())
        })
    })
}

fn hold_session(debuggee: &Debuggee) -> Outcome {
    if let Some((_, reason)) = LEFT_OUT.iter().find(|(name, _)| *name == debuggee.name) {
        return Ok(Verdict::Skipped((*reason).to_owned()));
    }
    let words = match debuggee.command_words() {
        Ok(words) => words,
        Err(Unavailable::Missing(reason)) => return Ok(Verdict::Skipped(reason)),
        Err(Unavailable::Broken(failure)) => return Err(failure),
    };
    let source = match debuggee.language {
        // These run an interpreter, whose functions have other names.
        Language::Python | Language::Shell => String::new(),
        _ => std::fs::read_to_string(debuggee.source())?,
    };
    let mut recording = Recorder::default().stdin(debuggee.stdin).record(&words)?;
    let processes = recording.info()?["processes"]
        .as_array()
        .map_or(1, |processes| processes.len() as u64);
    let seed = seed_of(debuggee);
    let commands = number("WAYFARER_COMMANDS").unwrap_or(COMMANDS) as usize;
    let names = script::Names::of(&source);
    let text = script::script(seed, commands, &names, processes);
    let script = recording.directory().join("session");
    std::fs::write(&script, &text)?;

    let mut command = wayfarer::command()?;
    command.arg("replay").arg(&recording.trace).arg("--json");
    let run = process::run(&mut command, text.as_bytes(), patience())?;
    match complaint(&recording, &run) {
        None => Ok(Verdict::Passed),
        Some(complaint) => {
            recording.keep();
            Err(Failure(format!(
                "seed {seed}: {complaint}\n  recorded by: {}\n  the session: {}\n  repeat with: {} < {}",
                recording.command,
                text.lines().collect::<Vec<_>>().join("; "),
                process::describe(&command),
                script.display(),
            )))
        }
    }
}

/// What is wrong with a session that has ended, if anything.
fn complaint(recording: &Recording, run: &Finished) -> Option<String> {
    let (objects, output) = take_apart(&run.stdout);
    if run.hung {
        let last = objects.last().map(Value::to_string).unwrap_or_default();
        return Some(format!(
            "the session hangs after {}",
            shorten(last.as_bytes())
        ));
    }
    if run.status != 0 {
        return Some(format!(
            "the session ends with {}: {}",
            run.status,
            run.stderr_text()
        ));
    }
    let end = objects
        .iter()
        .find(|object| object["event"] == "replay_ended");
    match end {
        None => {
            let stop = objects
                .iter()
                .rev()
                .find(|object| object["event"] == "stopped" || object["event"] == "agent_lost");
            return Some(format!(
                "the end of the recording is not reached; the last stop: {}\n  stderr: {}",
                shorten(stop.map(Value::to_string).unwrap_or_default().as_bytes()),
                run.stderr_text()
            ));
        }
        Some(end) if end["identical"] != true => return Some(format!("not identical: {end}")),
        Some(end) if end["status"] != recording.run.status => {
            let status = recording.run.status;
            return Some(format!(
                "the program left with {status}, the replay says {end}"
            ));
        }
        Some(_) => {}
    }
    // A line of ours that comes while the program's stands open ends that first.
    let plain = |bytes: &[u8]| -> Vec<u8> {
        let visible = bytes.iter().filter(|byte| **byte != b'\n');
        visible.copied().collect()
    };
    let (recorded, replayed) = (plain(&recording.run.stdout), plain(&output));
    if recorded != replayed {
        let difference = first_difference(&recorded, &replayed);
        return Some(format!("stdout differs: {difference}"));
    }
    let stderr = without_our_words(&run.stderr);
    if recording.stderr != stderr {
        let difference = first_difference(&recording.stderr, &stderr);
        return Some(format!("stderr differs: {difference}"));
    }
    None
}

/// Our own objects, and what the program wrote between them.
fn take_apart(mut stdout: &[u8]) -> (Vec<Value>, Vec<u8>) {
    let mut objects = Vec::new();
    let mut output = Vec::new();
    while let Some((&byte, rest)) = stdout.split_first() {
        if let Some((object, after)) = object_at(stdout) {
            objects.push(object);
            stdout = after;
        } else {
            output.push(byte);
            stdout = rest;
        }
    }
    (objects, output)
}

fn object_at(bytes: &[u8]) -> Option<(Value, &[u8])> {
    let ours: [&[u8]; 3] = [b"{\"event\":", b"{\"command\":", b"{\"displays\":"];
    if !ours.iter().any(|start| bytes.starts_with(start)) {
        return None;
    }
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    // The tree of a recursion is nested deeper than the reader follows.
    let object = match serde_json::from_slice(&bytes[..end]) {
        Ok(object) => object,
        Err(_) if bytes[..end].ends_with(b"}") => Value::Null,
        Err(_) => return None,
    };
    Some((object, &bytes[end + 1..]))
}
