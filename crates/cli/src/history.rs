//! `wayfarer history`: who had each lock and its like, access by access.
//!
//! `L3  0:1w×2 2:2w` reads: of the mutex with number 3, accesses 0 and 1 were thread 1's, access 2 was
//! thread 2's. The trace keeps one order for all accesses to an object, so each counts as a writer's.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};
use wayfarer_model::{ProcessId, ThreadId};
use wayfarer_replay::sync_words::{kind_name, letter, object_name};
use wayfarer_replay::words::{process_name, thread_index, thread_name};
use wayfarer_trace::{History, Run, SyncObject, Trace};

use crate::options::HistoryOptions;
use crate::places::{Place, Places};
use crate::say;

/// Runs that are shown at either end of a long history.
const SHOWN_AT_AN_END: usize = 20;
/// Objects that the summary names.
const HOTTEST: usize = 5;

pub fn run(options: &HistoryOptions) -> i32 {
    let trace = match Trace::open(&options.trace) {
        Ok(trace) => trace,
        Err(error) => {
            say::line(&error.to_string());
            return 2;
        }
    };
    let numbers: Result<Vec<u64>, String> = options
        .objects
        .iter()
        .map(|name| number_of(name).ok_or_else(|| name.clone()))
        .collect();
    let numbers = match numbers {
        Ok(numbers) => numbers,
        Err(name) => {
            say::line(&format!(
                "{name} is no name of an object; they look like L3, and `wayfarer history DIR` lists them"
            ));
            return 2;
        }
    };
    let history = History::of_some(&trace, &mut |id| {
        numbers.is_empty() || numbers.contains(&id)
    });
    if let Some(name) = missing(&options.objects, &history) {
        say::line(&format!(
            "there is no {name} in this trace; `wayfarer history DIR` lists what there is"
        ));
        return 2;
    }
    let mut view = View {
        trace: &trace,
        names: BTreeMap::new(),
        places: Places::new(&trace),
        limit: if options.all {
            usize::MAX
        } else {
            SHOWN_AT_AN_END
        },
    };
    if options.json {
        say::fact(&view.json(&history).to_string());
    } else {
        say::fact(view.text(&history).trim_end());
    }
    0
}

/// The number in the name of an object.
fn number_of(name: &str) -> Option<u64> {
    name.trim_start_matches(|first: char| first.is_ascii_alphabetic())
        .parse()
        .ok()
}

/// The first name that no object has.
fn missing<'a>(names: &'a [String], history: &History) -> Option<&'a String> {
    names.iter().find(|name| {
        let object = number_of(name).and_then(|number| history.object(number));
        object.is_none_or(|object| {
            let first = name.chars().next().filter(char::is_ascii_alphabetic);
            first.is_some_and(|first| !first.eq_ignore_ascii_case(&letter(object.kind)))
        })
    })
}

/// Histories with the names of the trace.
struct View<'a> {
    trace: &'a Trace,
    /// Process and number within it, of each thread that was named.
    names: BTreeMap<ThreadId, (ProcessId, u32)>,
    places: Places<'a>,
    /// Runs shown at either end.
    limit: usize,
}

impl View<'_> {
    fn thread(&mut self, id: ThreadId) -> (ProcessId, u32) {
        let trace = self.trace;
        *self.names.entry(id).or_insert_with(|| {
            let process = trace.thread(id).map_or(ProcessId(0), |row| row.process);
            (process, thread_index(trace, id))
        })
    }

    /// Where an object was made; objects of the runtime's own have no place.
    fn place(&mut self, object: &SyncObject) -> Option<Place> {
        (object.place != 0).then(|| self.places.of(object.process, object.place))
    }

    /// Position of the first access of a run, the run as dbxR shows it.
    fn run_text(&mut self, position: u64, run: Run, several: bool) -> String {
        let (process, index) = self.thread(run.thread);
        let owner = if several {
            format!("{process}.{index}")
        } else {
            index.to_string()
        };
        match run.length {
            0 => format!("{position}:{owner}w×?"),
            1 => format!("{position}:{owner}w"),
            more => format!("{position}:{owner}w×{more}"),
        }
    }

    /// Whether threads of several processes had it.
    fn is_shared(&mut self, object: &SyncObject) -> bool {
        object
            .runs
            .iter()
            .any(|run| self.thread(run.thread).0 != object.process)
    }

    fn owners(&self, object: &SyncObject) -> Vec<ThreadId> {
        let mut owners: Vec<ThreadId> = Vec::new();
        for run in &object.runs {
            if let Err(place) = owners.binary_search(&run.thread) {
                owners.insert(place, run.thread);
            }
        }
        owners
    }

    fn text(&mut self, history: &History) -> String {
        if history.objects.is_empty() {
            return "no histories: no process of this trace was recorded with its threads in parallel (`wayfarer info` tells why)".to_owned();
        }
        let mut out = String::from(
            "access histories (position:thread, w: writer, ×n: n accesses in a row)\n",
        );
        for object in &history.objects {
            self.object_text(&mut out, object);
        }
        self.threads_text(&mut out, history);
        self.contention_text(&mut out, history);
        out
    }

    fn object_text(&mut self, out: &mut String, object: &SyncObject) {
        let name = object_name(object.kind, object.id);
        let several = self.is_shared(object);
        let _ = write!(out, "\n{name:<6}");
        let count = object.runs.len();
        let left_out = left_out(count, self.limit);
        let mut position = 0u64;
        for (index, run) in object.runs.iter().enumerate() {
            if index == left_out.start && !left_out.is_empty() {
                let _ = write!(
                    out,
                    " … {} runs left out (--all shows them) …",
                    left_out.len()
                );
            }
            if !left_out.contains(&index) {
                let text = self.run_text(position, *run, several);
                let _ = write!(out, " {text}");
            }
            position = position.saturating_add(run.length);
        }
        let place = self
            .place(object)
            .map_or_else(String::new, |place| format!(", made in {place}"));
        let address = match object.address {
            0 => String::new(),
            address => format!(" at {address:#x}"),
        };
        let _ = writeln!(
            out,
            "\n       {} of {}{address}{place}\n       {} in {}, {}",
            kind_name(object.kind),
            process_name(self.trace, object.process),
            counted(object.accesses(), "access", "accesses"),
            counted(count as u64, "run", "runs"),
            counted(object.hand_overs(), "hand-over", "hand-overs"),
        );
    }

    /// Which thread each number stands for.
    fn threads_text(&mut self, out: &mut String, history: &History) {
        let mut all: Vec<ThreadId> = Vec::new();
        for object in &history.objects {
            all.extend(self.owners(object));
        }
        all.sort_unstable();
        all.dedup();
        let mut by_process: BTreeMap<ProcessId, Vec<String>> = BTreeMap::new();
        for id in all {
            let (process, index) = self.thread(id);
            let tid = self.trace.thread(id).map_or(0, |thread| thread.tid);
            by_process
                .entry(process)
                .or_default()
                .push(format!("{index} (tid {tid})"));
        }
        out.push('\n');
        for (process, threads) in by_process {
            let _ = writeln!(
                out,
                "threads of {} (process {process}): {}",
                process_name(self.trace, process),
                threads.join(", ")
            );
        }
    }

    fn contention_text(&mut self, out: &mut String, history: &History) {
        let hottest = hottest(history);
        if hottest.is_empty() {
            let _ = writeln!(out, "\nno object ever went from one thread to another");
            return;
        }
        let _ = writeln!(out, "\nmost hand-overs (times of waits are not in a trace)");
        for object in hottest {
            let name = object_name(object.kind, object.id);
            let owners = self.owners(object).len();
            let place = self
                .place(object)
                .map_or_else(String::new, |place| format!(", made in {place}"));
            let longest = object.longest_run().map_or_else(String::new, |run| {
                let who = thread_name(self.trace, run.thread);
                format!("; longest run {} by {who}", run.length)
            });
            let _ = writeln!(
                out,
                "{name:<6} {} among {owners} threads in {}{longest} ({} of {}{place})",
                counted(object.hand_overs(), "hand-over", "hand-overs"),
                counted(object.accesses(), "access", "accesses"),
                kind_name(object.kind),
                process_name(self.trace, object.process),
            );
        }
    }

    fn json(&mut self, history: &History) -> Value {
        let objects: Vec<Value> = history
            .objects
            .iter()
            .map(|object| self.object_json(object))
            .collect();
        let hottest: Vec<String> = hottest(history)
            .iter()
            .map(|object| object_name(object.kind, object.id))
            .collect();
        json!({ "objects": objects, "hottest": hottest })
    }

    fn object_json(&mut self, object: &SyncObject) -> Value {
        let left_out = left_out(object.runs.len(), self.limit);
        let mut position = 0u64;
        let mut runs = Vec::new();
        for (index, run) in object.runs.iter().enumerate() {
            if !left_out.contains(&index) {
                let (process, thread) = self.thread(run.thread);
                runs.push(json!({
                    "run": run.number,
                    "position": position,
                    "process": process.0,
                    "thread": thread,
                    "accesses": (run.length != 0).then_some(run.length),
                }));
            }
            position = position.saturating_add(run.length);
        }
        json!({
            "name": object_name(object.kind, object.id),
            "id": object.id,
            "kind": kind_name(object.kind),
            "process": process_name(self.trace, object.process),
            "process_id": object.process.0,
            "address": object.address,
            "made": self.place(object),
            "accesses": object.accesses(),
            "runs_count": object.runs.len(),
            "hand_overs": object.hand_overs(),
            "owners": self.owners(object).len(),
            "longest_run": object.longest_run().map(|run| run.length),
            "runs_left_out": left_out.len(),
            "runs": runs,
        })
    }
}

/// Which of `count` runs are not shown: all but the first and the last `limit`.
fn left_out(count: usize, limit: usize) -> std::ops::Range<usize> {
    match limit.checked_mul(2) {
        // Leaving out a single one would save nothing.
        Some(shown) if count > shown + 1 => limit..count - limit,
        _ => 0..0,
    }
}

fn hottest(history: &History) -> Vec<&SyncObject> {
    let mut objects: Vec<&SyncObject> = history
        .objects
        .iter()
        .filter(|object| object.hand_overs() > 0)
        .collect();
    objects.sort_by_key(|object| std::cmp::Reverse(object.hand_overs()));
    objects.truncate(HOTTEST);
    objects
}

fn counted(count: u64, one: &str, more: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    }
}

#[cfg(test)]
mod tests;
