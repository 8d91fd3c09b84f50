//! The second half of a scenario: replay the trace and hold it against the recording.

use super::place::Place;
use crate::failure::{At, Failure};
use crate::process;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(180);

/// What one replay said, and whether it is the recording again.
pub struct Replayed {
    pub events: u64,
    pub seconds: f64,
    /// Why it is not the recording, when it is not.
    pub difference: Option<String>,
}

/// Replays the trace of `place`, away from every directory that the recording knew.
pub fn run(place: &Place, wayfarer: &Path, recorded_status: i32) -> Result<Replayed, Failure> {
    let stdout = place.file("replay.stdout");
    let stderr = place.file("replay.stderr");
    let mut command = Command::new(wayfarer);
    // No run learns from another one which programs race.
    command.env("XDG_STATE_HOME", "/dev/null");
    command
        .arg("replay")
        .arg(place.trace())
        .args(["--check", "--json"])
        .current_dir("/");
    process::output_to(&mut command, &stdout, &stderr)?;
    let finished = process::run(&mut command, LIMIT)?;

    let output = fs::read(&stdout).at("reading", &stdout)?;
    let said = fs::read_to_string(&stderr).unwrap_or_default();
    let recorded_output = fs::read(place.file("stdout")).at("reading", &place.file("stdout"))?;
    let (shown, summary) = split_summary(&output);
    let difference = if finished.overdue.is_some() {
        Some(finished.describe())
    } else {
        match &summary {
            None => Some(format!(
                "no summary; {}; {}",
                finished.describe(),
                last_lines(&said)
            )),
            Some(summary) => compare(summary, shown, &recorded_output, recorded_status, &said),
        }
    };
    let events = summary
        .as_ref()
        .and_then(|s| s["events"].as_u64())
        .unwrap_or(0);
    Ok(Replayed {
        events,
        seconds: finished.seconds,
        difference,
    })
}

fn compare(
    summary: &Value,
    shown: &[u8],
    recorded: &[u8],
    recorded_status: i32,
    said: &str,
) -> Option<String> {
    if summary["identical"] != Value::Bool(true) {
        return Some(describe(&summary["divergence"]).unwrap_or_else(|| last_lines(said)));
    }
    if summary["status"].as_i64() != Some(i64::from(recorded_status)) {
        return Some(format!(
            "status {} instead of {recorded_status}, though called identical",
            summary["status"]
        ));
    }
    // The summary begins a line of its own, so output that ends amid a line gains a line end.
    let same = shown == recorded || shown.strip_suffix(b"\n") == Some(recorded);
    (!same).then(|| {
        let position = shown.iter().zip(recorded).take_while(|(a, b)| a == b).count();
        format!(
            "standard output differs at byte {position} ({} recorded, {} replayed), though called identical",
            recorded.len(),
            shown.len()
        )
    })
}

/// A divergence in one line; the whole of it lies in `replay.stderr`.
fn describe(divergence: &Value) -> Option<String> {
    let text = |key: &str| divergence[key].as_str();
    Some(format!(
        "diverged ({}) in {} at event {}: promised {}, came {}",
        text("kind")?,
        text("process")?,
        divergence["event"],
        text("promised")?,
        text("came")?
    ))
}

/// Splits what a replay printed into the debuggee's output and the summary on the last line.
fn split_summary(output: &[u8]) -> (&[u8], Option<Value>) {
    let trimmed = output.strip_suffix(b"\n").unwrap_or(output);
    let start = trimmed
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |position| position + 1);
    match serde_json::from_slice::<Value>(&trimmed[start..]) {
        Ok(summary) if summary.is_object() => (&output[..start], Some(summary)),
        _ => (output, None),
    }
}

/// The end of a message, on one line.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines[lines.len().saturating_sub(8)..].join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_the_last_line() {
        let (shown, summary) = split_summary(b"a\nb\n{\"identical\":true,\"status\":0}\n");
        assert_eq!(shown, b"a\nb\n");
        assert_eq!(compare(&summary.unwrap(), shown, b"a\nb\n", 0, ""), None);
    }

    #[test]
    fn output_without_a_summary_is_seen() {
        assert!(split_summary(b"a\nb\n").1.is_none());
        assert!(split_summary(b"").1.is_none());
    }

    #[test]
    fn other_output_is_a_difference_even_if_called_identical() {
        let summary = serde_json::json!({"identical": true, "status": 0});
        assert!(
            compare(&summary, b"abd", b"abc", 0, "")
                .unwrap()
                .contains("byte 2")
        );
        assert!(
            compare(&summary, b"abc", b"abc", 1, "")
                .unwrap()
                .contains("status")
        );
    }

    #[test]
    fn a_line_end_before_the_summary_is_no_difference() {
        let summary = serde_json::json!({"identical": true, "status": 0});
        assert_eq!(compare(&summary, b"abc\n", b"abc", 0, ""), None);
    }
}
