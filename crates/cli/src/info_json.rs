//! `wayfarer info --json`: the facts about a trace as one object with stable keys.

use std::collections::BTreeMap;

use crate::info::is_warning;
use serde_json::{Map, Value, json};
use wayfarer_replay::events::describe_note;
use wayfarer_replay::words::thread_index;
use wayfarer_replay::{late, sync_words};
use wayfarer_runtime_abi::layout::{flags, object_flags, object_kind};
use wayfarer_runtime_abi::record;
use wayfarer_trace::{Counters, Form, KindCount, Note, Summary, SyncCount, ThreadsChoice, Trace};

/// The name of a kind of object.
pub fn object_kind_name(kind: u32) -> &'static str {
    match kind {
        object_kind::OUTPUT => "output",
        object_kind::PIPE => "pipe",
        object_kind::SOCKET_PAIR => "socket pair",
        object_kind::TCP => "TCP connection",
        object_kind::UNIX => "Unix connection",
        _ => "unknown",
    }
}

/// How many objects there are of each kind.
pub fn objects_by_kind(trace: &Trace) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for object in trace.objects() {
        *counts.entry(object_kind_name(object.kind)).or_insert(0) += 1;
    }
    counts
}

/// Options of the recording that are not the usual ones.
pub fn recording_flags(counters: &Counters) -> Vec<&'static str> {
    let names = [
        (flags::CONTENTS_ALL, "contents-all"),
        (flags::NO_PATCH, "no-patch"),
        (flags::NO_VDSO, "no-vdso"),
        (flags::NO_MASK_STRIP, "no-mask-strip"),
        (flags::NO_REARM, "no-rearm"),
        (flags::NO_RESTORER, "no-restorer"),
        (flags::NO_ENVIRONMENT, "no-environment"),
        (flags::NO_DISPATCH, "no-dispatch"),
        (flags::NO_FILTER_PREFIX, "no-filter-prefix"),
        (flags::NO_GUARD, "no-guard"),
        (flags::SERIAL, "threads-serial"),
        (flags::PARALLEL, "threads-parallel"),
    ];
    names
        .into_iter()
        .filter(|(bit, _)| counters.flags & bit != 0)
        .map(|(_, name)| name)
        .collect()
}

/// Everything about a trace.
pub fn facts(trace: &Trace, summary: &Summary) -> Value {
    let manifest = trace.manifest();
    let counters = trace.counters();
    let processes: Vec<Value> = summary
        .processes
        .iter()
        .map(|process| {
            let known = trace.process(process.id);
            json!({
                "id": process.id.0,
                "name": process.name,
                "program": known.map(|known| known.program.as_str()),
                "pid": process.pid,
                "parent": process.parent.0,
                "threads": process.threads,
                "events": process.events,
                "log_bytes": process.log_bytes,
                "end": process.end.to_string(),
                "status": process.end.shell_status(),
                "kinds": counts(&process.kinds),
                "threads_modes": process.choices.iter().map(threads_choice).collect::<Vec<_>>(),
                "late_libraries": late::of_process(&summary.notes, process.id)
                    .map(|note| late_library(trace, note))
                    .collect::<Vec<_>>(),
                "sync": sync_count(&process.sync),
            })
        })
        .collect();
    let objects: Vec<Value> = trace
        .objects()
        .iter()
        .map(|object| {
            json!({
                "id": object.id.0,
                "kind": object_kind_name(object.kind),
                "process": object.process.0,
                "inside": object.flags & object_flags::BOTH != 0,
                "contents": object.flags & (object_flags::CONTENTS_0 | object_flags::CONTENTS_1) != 0,
            })
        })
        .collect();
    let dispatch_off: Vec<u32> = summary
        .notes
        .iter()
        .filter(|note| note.code == record::note::DISPATCH_OFF)
        .map(|note| note.process.0)
        .collect();
    let warnings: Vec<Value> = summary
        .notes
        .iter()
        .filter(|note| is_warning(note))
        .map(|note| {
            json!({
                "process": note.process.0,
                "code": note.code,
                "value": note.value,
                "count": note.count,
                "text": describe_note(trace, note),
            })
        })
        .collect();
    json!({
        "sealed": trace.form() == Form::Sealed,
        "format_version": manifest.format_version,
        "abi_version": manifest.abi_version,
        "wayfarer_version": manifest.wayfarer_version,
        "host": manifest.host,
        "kernel": manifest.kernel,
        "command": manifest.command.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "working_directory": manifest.working_directory.to_string(),
        "start_realtime_ns": manifest.start_realtime_ns,
        "duration_ns": manifest.end.map(|end| end.realtime_ns.saturating_sub(manifest.start_realtime_ns)),
        "status": manifest.end.and_then(|end| end.shell_status()),
        "threads_mode": manifest.threads,
        "solid": trace.solid().ok().flatten().map(|solid| json!({"delays": solid.delays.len(), "attempts": solid.attempts})),
        "contents": manifest.contents,
        "flags": recording_flags(counters),
        "broken": counters.broken,
        "processes": processes,
        "threads": trace.threads().len(),
        "events": summary.events,
        "records": summary.records,
        "kinds": counts(&summary.kinds),
        "calls": counts(&summary.calls),
        "clocks": counts(&summary.clocks),
        "objects": objects,
        "sync": sync_count(&summary.sync),
        "output_writes": counters.output_writes,
        "dispatch_traps": counters.dispatch_traps,
        "dispatch_off": dispatch_off,
        "log_bytes": summary.log_bytes,
        "trace_bytes": summary.bytes_on_disk,
        "warnings": warnings,
        "problems": summary.problems,
    })
}

/// How the threads of a process were recorded, and why.
fn threads_choice(choice: &ThreadsChoice) -> Value {
    json!({
        "mode": choice.mode,
        "reason": sync_words::reason(choice),
        "reason_code": choice.reason,
        "value": choice.value,
    })
}

/// A library that was loaded when the process ran in parallel already, and that would have made it serial.
fn late_library(trace: &Trace, note: &Note) -> Value {
    json!({
        "path": note.text,
        "reason": late::reason(note),
        "reason_code": note.value,
        "thread": thread_index(trace, note.thread),
        "event": note.event,
    })
}

fn sync_count(count: &SyncCount) -> Value {
    let objects: Map<String, Value> = count
        .objects
        .iter()
        .map(|(kind, number)| {
            let name = sync_words::kind_name(Some(*kind)).to_owned();
            (name, json!(number))
        })
        .collect();
    json!({
        "objects": objects,
        "runs": count.runs,
        "accesses": count.accesses,
        "outcomes": count.outcomes,
    })
}

fn counts(counts: &BTreeMap<String, KindCount>) -> Map<String, Value> {
    counts
        .iter()
        .map(|(name, count)| {
            (
                name.clone(),
                json!({"count": count.count, "bytes": count.bytes}),
            )
        })
        .collect()
}
