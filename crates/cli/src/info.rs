//! `wayfarer info`: what a trace holds.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use wayfarer_recorder::record::BrokenOff;
use wayfarer_replay::events::describe_note;
use wayfarer_replay::sync_words;
use wayfarer_runtime_abi::record;
use wayfarer_trace::{Form, KindCount, Note, Summary, ThreadsChoice, ThreadsMode, Trace};

use crate::info_json::{facts, objects_by_kind, recording_flags};
use crate::options::InfoOptions;
use crate::say;

/// Calls that are shown one by one; the rest is summed up.
const SHOWN_CALLS: usize = 12;

pub fn run(options: &InfoOptions) -> i32 {
    let trace = match Trace::open(&options.trace) {
        Ok(trace) => trace,
        Err(error) => {
            say::line(&error.to_string());
            return 2;
        }
    };
    let summary = trace.summary();
    if options.json {
        say::fact(&facts(&trace, &summary).to_string());
    } else {
        say::fact(text(&trace, &summary).trim_end());
    }
    0
}

fn text(trace: &Trace, summary: &Summary) -> String {
    let mut out = String::new();
    head(&mut out, trace, summary);
    processes(&mut out, trace, summary);
    threads(&mut out, trace, summary);
    sync(&mut out, summary);
    kinds(&mut out, "events by kind", &summary.kinds, usize::MAX);
    kinds(&mut out, "calls", &summary.calls, SHOWN_CALLS);
    kinds(&mut out, "clocks", &summary.clocks, usize::MAX);
    objects(&mut out, trace);
    warnings(&mut out, trace, summary);
    out
}

fn put(out: &mut String, label: &str, value: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{label:<12} {value}");
}

fn head(out: &mut String, trace: &Trace, summary: &Summary) {
    let manifest = trace.manifest();
    let command: Vec<String> = manifest.command.iter().map(ToString::to_string).collect();
    put(out, "command", &command.join(" "));
    put(
        out,
        "recorded",
        &format!(
            "on {}, Linux {}, by wayfarer {}",
            manifest.host, manifest.kernel, manifest.wayfarer_version
        ),
    );
    match manifest.end {
        Some(end) => {
            let took =
                Duration::from_nanos(end.realtime_ns.saturating_sub(manifest.start_realtime_ns));
            let status = end
                .shell_status()
                .map_or_else(|| "unknown".to_owned(), |status| status.to_string());
            put(
                out,
                "ended",
                &format!("with status {status} after {:.3} s", took.as_secs_f64()),
            );
        }
        None => put(
            out,
            "ended",
            "not known: the recorder ended before the command",
        ),
    }
    let form = match trace.form() {
        Form::Sealed => "sealed",
        Form::Unsealed => "not sealed (raw session file)",
    };
    let flags = recording_flags(trace.counters());
    let flags = if flags.is_empty() {
        String::new()
    } else {
        format!(", recorded with {}", flags.join(", "))
    };
    put(
        out,
        "trace",
        &format!(
            "{form}, {}, {} of log{flags}",
            bytes(summary.bytes_on_disk),
            bytes(summary.log_bytes)
        ),
    );
    put(out, "dispatch", &dispatch(trace, summary));
    put(
        out,
        "events",
        &format!(
            "{} of {} threads in {} processes",
            summary.events,
            trace.threads().len(),
            trace.processes().len()
        ),
    );
}

/// How many calls took the slow way.
fn dispatch(trace: &Trace, summary: &Summary) -> String {
    let traps = u64::from(trace.counters().dispatch_traps);
    let calls: u64 = summary.calls.values().map(|count| count.count).sum();
    let mut text = format!(
        "{traps} calls trapped, {} through patched sites",
        calls.saturating_sub(traps)
    );
    let off: Vec<&str> = summary
        .notes
        .iter()
        .filter(|note| note.code == record::note::DISPATCH_OFF)
        .filter_map(|note| Some(trace.process(note.process)?.name.as_str()))
        .collect();
    if !off.is_empty() {
        let _ = write!(text, "; off once all were patched in {}", off.join(", "));
    }
    text
}

/// Whether a note is something that the user should know before a replay.
pub fn is_warning(note: &Note) -> bool {
    record::note::is_warning(note.code)
}

fn processes(out: &mut String, trace: &Trace, summary: &Summary) {
    let name_width = summary
        .processes
        .iter()
        .map(|process| process.name.chars().count())
        .max()
        .unwrap_or(0)
        .max(7);
    let _ = writeln!(
        out,
        "\n{:<name_width$} {:>8} {:>8} {:>8} {:>10}  end",
        "process", "pid", "threads", "events", "log"
    );
    for process in &summary.processes {
        let program = trace
            .process(process.id)
            .map_or("", |known| known.program.as_str());
        let program = if process.name.starts_with(program) {
            String::new()
        } else {
            format!(" ({program})")
        };
        let _ = writeln!(
            out,
            "{:<name_width$} {:>8} {:>8} {:>8} {:>10}  {}{program}",
            process.name,
            process.pid,
            process.threads,
            process.events,
            bytes(process.log_bytes),
            process.end
        );
    }
}

/// How the threads of each process were recorded, and why; a process with one thread has no choice.
fn threads(out: &mut String, trace: &Trace, summary: &Summary) {
    let with_choice = summary
        .processes
        .iter()
        .filter(|process| !process.choices.is_empty() || process.threads > 1);
    for (index, process) in with_choice.enumerate() {
        let front = if index == 0 { "\n" } else { "" };
        if process.choices.is_empty() {
            let _ = writeln!(out, "{front}threads      {}: serial", process.name);
        }
        for choice in &process.choices {
            let mode = sync_words::mode_name(choice.mode);
            let why = sync_words::reason(choice);
            let _ = writeln!(out, "{front}threads      {}: {mode}, {why}", process.name);
        }
    }
    let parallel = |choice: &ThreadsChoice| choice.mode == ThreadsMode::Parallel;
    let any = summary
        .processes
        .iter()
        .any(|process| process.choices.iter().any(parallel));
    if any {
        let _ = match trace.solid() {
            Ok(Some(solid)) => writeln!(
                out,
                "solid        yes: every replay is exact (delays: {}, attempts it took: {})",
                solid.delays.len(),
                solid.attempts
            ),
            _ => writeln!(
                out,
                "solid        no: data races may replay otherwise; `wayfarer solidify` tries for an exact replay"
            ),
        };
    }
}

/// Objects whose order was recorded in parallel mode.
fn sync(out: &mut String, summary: &Summary) {
    let count = &summary.sync;
    if count.objects.is_empty() && count.runs == 0 {
        return;
    }
    let objects: Vec<String> = count
        .objects
        .iter()
        .map(|(kind, number)| format!("{number} × {}", sync_words::kind_name(Some(*kind))))
        .collect();
    let kinds = ["acquire", "acquire-read", "wait"];
    let of_kinds = kinds.iter().filter_map(|kind| summary.kinds.get(*kind));
    let log_bytes: u64 = of_kinds.map(|kind| kind.bytes).sum();
    let _ = writeln!(out, "\nsync objects {}", objects.join(", "));
    let _ = writeln!(
        out,
        "             {} accesses in {} runs, {} of log; {} outcomes",
        count.accesses,
        count.runs,
        bytes(log_bytes),
        count.outcomes
    );
}

fn kinds(out: &mut String, title: &str, counts: &BTreeMap<String, KindCount>, shown: usize) {
    if counts.is_empty() {
        return;
    }
    let mut sorted: Vec<(&String, &KindCount)> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(count.count));
    let width = sorted
        .iter()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or(0)
        .max(title.len());
    let _ = writeln!(out, "\n{title:<width$} {:>10} {:>10}", "number", "bytes");
    let (front, rest) = sorted.split_at(shown.min(sorted.len()));
    for (name, count) in front {
        let _ = writeln!(
            out,
            "{name:<width$} {:>10} {:>10}",
            count.count,
            bytes(count.bytes)
        );
    }
    if !rest.is_empty() {
        let (number, size) = rest.iter().fold((0, 0), |(number, size), (_, count)| {
            (number + count.count, size + count.bytes)
        });
        let name = format!("{} others", rest.len());
        let _ = writeln!(out, "{name:<width$} {number:>10} {:>10}", bytes(size));
    }
}

fn objects(out: &mut String, trace: &Trace) {
    let counts = objects_by_kind(trace);
    if !counts.is_empty() {
        let texts: Vec<String> = counts
            .iter()
            .map(|(kind, count)| format!("{count} × {kind}"))
            .collect();
        let _ = writeln!(out, "\nobjects      {}", texts.join(", "));
    }
}

fn warnings(out: &mut String, trace: &Trace, summary: &Summary) {
    let counters = trace.counters();
    let mut lines = Vec::new();
    if counters.broken != 0 {
        let broken = BrokenOff {
            reason: counters.broken,
            errno: counters.broken_errno,
        };
        lines.push(format!("recording stopped early: {broken}"));
    }
    lines.extend(summary.problems.iter().cloned());
    for note in summary.notes.iter().filter(|note| is_warning(note)) {
        let name = trace
            .process(note.process)
            .map_or("?", |process| process.name.as_str());
        let times = if note.count > 1 {
            format!(" ({} times)", note.count)
        } else {
            String::new()
        };
        lines.push(format!("{name}: {}{times}", describe_note(trace, note)));
    }
    for (index, line) in lines.iter().enumerate() {
        let _ = writeln!(
            out,
            "{}warning      {line}",
            if index == 0 { "\n" } else { "" }
        );
    }
}

/// A size as people read it.
fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{} kB", count.div_ceil(1000)),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_readable() {
        assert_eq!(bytes(9_999), "9999 B");
        assert_eq!(bytes(10_001), "11 kB");
        assert_eq!(bytes(12_340_000), "12.3 MB");
    }

    #[test]
    fn rare_kinds_are_summed_up() {
        let counts = (1..=4)
            .map(|n| {
                (
                    format!("call{n}"),
                    KindCount {
                        count: n,
                        bytes: 10 * n,
                    },
                )
            })
            .collect();
        let mut out = String::new();
        kinds(&mut out, "calls", &counts, 2);
        assert!(
            out.contains("call4") && out.contains("call3") && !out.contains("call2"),
            "{out}"
        );
        assert!(out.contains("2 others") && out.contains("30 B"), "{out}");
    }
}
