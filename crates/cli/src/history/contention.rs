//! Which objects threads met at, and which thread waited for which.

use std::cmp::Reverse;
use std::fmt::Write;

use wayfarer_model::ThreadId;
use wayfarer_replay::sync_words::object_name;
use wayfarer_runtime_abi::record::sync;
use wayfarer_runtime_abi::wait::SHORTEST_NS;
use wayfarer_trace::{History, SyncObject, Wait};

use super::view::{View, counted, owners};

/// A wait, and what it was for.
pub(super) struct Waited<'a> {
    pub(super) object: &'a SyncObject,
    pub(super) wait: Wait,
    /// Of the first access of the run that the wait led to; `None`: the run is not known.
    pub(super) position: Option<u64>,
    /// Who had it before.
    pub(super) holder: Option<ThreadId>,
}

/// Whether a wait for the object means that another thread had it. A semaphore may be waited for because
/// there is nothing to do, and a barrier is there to be waited at.
pub(super) fn is_lock(object: &SyncObject) -> bool {
    !matches!(object.kind, Some(sync::SEMAPHORE | sync::BARRIER))
}

/// What the program itself made, as opposed to libc's heap and streams and the process as a whole.
fn is_programs_own(object: &SyncObject) -> bool {
    !matches!(
        object.kind,
        Some(
            sync::EVENTS
                | sync::THREADS
                | sync::FORKS
                | sync::HEAP
                | sync::STREAM
                | sync::RANDOM
                | sync::LIBRARY
        )
    )
}

/// Objects that went from one thread to another, the hottest first: by the time that threads waited for
/// locks, then by hand-overs, the program's own before others.
pub(super) fn hottest(history: &History, most: usize) -> Vec<&SyncObject> {
    let mut objects: Vec<&SyncObject> = history
        .objects
        .iter()
        .filter(|object| object.hand_overs() > 0)
        .collect();
    objects.sort_by_cached_key(|object| {
        let waited = if is_lock(object) {
            object.waited_ns()
        } else {
            0
        };
        Reverse((waited, is_programs_own(object), object.hand_overs()))
    });
    objects.truncate(most);
    objects
}

/// The longest waits for objects that `wanted` says, the longest first.
pub(super) fn longest_waits(
    history: &History,
    most: usize,
    wanted: fn(&SyncObject) -> bool,
) -> Vec<Waited<'_>> {
    let objects = history.objects.iter().filter(|object| wanted(object));
    let mut waits: Vec<(&SyncObject, Wait)> = objects
        .flat_map(|object| object.waits.iter().map(move |wait| (object, *wait)))
        .collect();
    waits.sort_by_key(|(object, wait)| (Reverse(wait.nanoseconds), object.id, wait.run));
    waits.truncate(most);
    let waited = waits.into_iter().map(|(object, wait)| Waited {
        object,
        wait,
        position: position_of(object, wait.run),
        holder: object.waited_for(&wait),
    });
    waited.collect()
}

/// The first access of a run.
fn position_of(object: &SyncObject, run: u32) -> Option<u64> {
    let before = object.runs.partition_point(|other| other.number < run);
    object
        .runs
        .get(before)
        .filter(|found| found.number == run)?;
    let earlier = object.runs.get(..before)?.iter();
    Some(earlier.fold(0, |sum: u64, run| sum.saturating_add(run.length)))
}

/// The waits of an object, counted and summed up.
pub(super) fn counted_waits(object: &SyncObject) -> String {
    let total = duration(object.waited_ns());
    match (object.waits.len(), object.longest_wait()) {
        (0, _) | (_, None) => "no waits".to_owned(),
        (1, _) => format!("1 wait of {total}"),
        (count, Some(longest)) => format!(
            "{count} waits of {total} together, the longest {}",
            duration(longest.nanoseconds)
        ),
    }
}

/// Three digits and a unit: waits are kept no more exactly.
pub(super) fn duration(nanoseconds: u64) -> String {
    let (unit, size) = match nanoseconds {
        0..1_000_000 => ("µs", 1e3),
        1_000_000..1_000_000_000 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    let amount = nanoseconds as f64 / size;
    let digits = match amount {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{amount:.digits$} {unit}")
}

impl View<'_> {
    pub(super) fn contention_text(&mut self, out: &mut String, history: &History) {
        let hottest = hottest(history, self.limits.hottest);
        if hottest.is_empty() {
            let _ = writeln!(out, "\nno object ever went from one thread to another");
            return;
        }
        let _ = writeln!(
            out,
            "\nhottest first (waits of less than {} are not in a trace)",
            duration(SHORTEST_NS)
        );
        for object in hottest {
            let name = object_name(object.kind, object.id);
            let owners = owners(object).len() as u64;
            let longest = object.longest_run().map_or_else(String::new, |run| {
                let who = self.thread_text(run.thread);
                format!("; longest run {} by {who}", run.length)
            });
            let _ = writeln!(
                out,
                "{name:<6} {}; {} among {} in {}{longest} ({})",
                counted_waits(object),
                counted(object.hand_overs(), "hand-over", "hand-overs"),
                counted(owners, "thread", "threads"),
                counted(object.accesses(), "access", "accesses"),
                self.description(object),
            );
        }
        let most = self.limits.hottest;
        let locks = longest_waits(history, most, is_lock);
        self.waits_text(out, "longest waits for locks", &locks);
        let semaphores = longest_waits(history, most, |object| !is_lock(object));
        self.waits_text(
            out,
            "longest waits for semaphores and at barriers, perhaps for something to do",
            &semaphores,
        );
    }

    fn waits_text(&mut self, out: &mut String, title: &str, waits: &[Waited<'_>]) {
        if waits.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{title}");
        for waited in waits {
            let object = waited.object;
            let variable = self.variable(object);
            let variable = variable.map_or_else(String::new, |name| format!(" `{name}`"));
            let position = waited
                .position
                .map_or_else(String::new, |position| format!(", access {position}"));
            let holder = waited.holder.map_or_else(String::new, |holder| {
                format!(" waited for {}", self.thread_text(holder))
            });
            let _ = writeln!(
                out,
                "{:>8}  {}{variable}{position}: {}{holder}",
                duration(waited.wait.nanoseconds),
                object_name(object.kind, object.id),
                self.thread_text(waited.wait.thread),
            );
        }
    }
}
