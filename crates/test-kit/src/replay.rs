//! Replays a recording and compares.

use crate::failure::{Failure, first_difference, shorten};
use crate::process::{self, Finished, patience};
use crate::recording::{Recording, without_our_words};
use crate::wayfarer;
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// What `wayfarer replay DIR --check --json` gave.
#[derive(Debug)]
pub struct Replay {
    pub run: Finished,
    /// Output of the replayed program, without the last line.
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The last line, when it is the promised object.
    pub json: Option<Value>,
}

impl Replay {
    pub fn identical(&self) -> bool {
        self.field("identical").and_then(Value::as_bool) == Some(true)
    }

    pub fn status(&self) -> Option<i64> {
        self.field("status").and_then(Value::as_i64)
    }

    pub fn divergence(&self) -> Option<&Value> {
        self.field("divergence").filter(|value| !value.is_null())
    }

    pub fn field(&self, name: &str) -> Option<&Value> {
        self.json.as_ref().and_then(|json| json.get(name))
    }

    /// One paragraph for a message.
    pub fn summary(&self) -> String {
        format!(
            "exit {}{}, {}\n  stderr: {}",
            self.run.status,
            if self.run.hung {
                " (killed by the watchdog: it hangs)"
            } else {
                ""
            },
            self.json
                .as_ref()
                .map_or("no JSON object".into(), Value::to_string),
            shorten(&self.run.stderr)
        )
    }
}

/// Replays with `--check --json`, in another directory than the recording's.
pub fn replay_check(trace: &Path) -> Result<Replay, Failure> {
    replay_with(trace, &[], |_| ())
}

/// As [`replay_check`] with more options and a last change to the command.
pub fn replay_with(
    trace: &Path,
    options: &[OsString],
    change: impl FnOnce(&mut Command),
) -> Result<Replay, Failure> {
    let mut command = wayfarer::command()?;
    command
        .arg("replay")
        .arg(trace)
        .args(["--check", "--json"])
        .args(options);
    change(&mut command);
    from_finished(process::run(&mut command, b"", patience())?)
}

/// Takes the output of a replay apart.
pub fn from_finished(run: Finished) -> Result<Replay, Failure> {
    let (stdout, json) = match find_verdict(&run.stdout) {
        Some((start, json)) => (run.stdout[..start].to_vec(), Some(json)),
        None => (run.stdout.clone(), None),
    };
    let stderr = without_our_words(&run.stderr);
    Ok(Replay {
        run,
        stdout,
        stderr,
        json,
    })
}

/// The object is the last line; the output of a program that ends without a newline may stand before
/// it on the same line.
fn find_verdict(stdout: &[u8]) -> Option<(usize, Value)> {
    let text = stdout.strip_suffix(b"\n")?;
    let line = text
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |newline| newline + 1);
    (line..text.len())
        .filter(|&start| text[start] == b'{')
        .find_map(|start| {
            let value: Value = serde_json::from_slice(&text[start..]).ok()?;
            value.get("identical").is_some().then_some((start, value))
        })
}

/// Replays once; output, error output and status must be those of the recording.
pub fn expect_identical(recording: &mut Recording) -> Result<Replay, Failure> {
    let replay = replay_check(&recording.trace)?;
    match difference(recording, &replay) {
        None => Ok(replay),
        Some(message) => Err(recording.explain(message)),
    }
}

/// What differs between a recording and its replay, if anything.
pub fn difference(recording: &Recording, replay: &Replay) -> Option<String> {
    if replay.run.hung || replay.run.status != 0 || !replay.identical() {
        return Some(format!("the replay is not identical: {}", replay.summary()));
    }
    if replay.status() != Some(i64::from(recording.run.status)) {
        let status = recording.run.status;
        return Some(format!(
            "the program left with {status}, the replay says {}",
            replay.summary()
        ));
    }
    let added_newline = !recording.run.stdout.ends_with(b"\n")
        && replay.stdout.strip_suffix(b"\n") == Some(&recording.run.stdout);
    if replay.stdout != recording.run.stdout && !added_newline {
        return Some(format!(
            "stdout differs: {}",
            first_difference(&recording.run.stdout, &replay.stdout)
        ));
    }
    if replay.stderr != recording.stderr {
        return Some(format!(
            "stderr differs: {}",
            first_difference(&recording.stderr, &replay.stderr)
        ));
    }
    None
}
