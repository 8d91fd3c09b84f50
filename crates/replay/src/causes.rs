//! Why a replay may have differed, and what to do about it.

use wayfarer_model::ProcessId;
use wayfarer_runtime_abi::layout::divergence as kind;
use wayfarer_runtime_abi::record::note;
use wayfarer_trace::Trace;

use crate::events::describe_note;
use crate::races;

/// Notes of the recording that explain why a process may take another way.
const TELLING_NOTES: [u64; 6] = [
    note::UNKNOWN_CALL,
    note::UNKNOWN_IOCTL,
    note::NO_DISPATCH,
    note::UNSEEN_CLONE,
    note::SHARED_FILE,
    note::FORCED_SIGNAL,
];

/// The name of a kind of divergence, and its likely cause in this process.
pub fn kind_and_cause(trace: &Trace, number: u32, process: ProcessId) -> (&'static str, String) {
    let name = match number {
        kind::OTHER_CALL => "other-call",
        kind::OTHER_ARGUMENTS => "other-arguments",
        kind::OTHER_OUTPUT => "other-output",
        kind::OTHER_MEMORY => "other-memory",
        kind::OTHER_FILE => "other-file",
        kind::FAULT => "fault",
        kind::EXEC_FAILED => "exec-failed",
        kind::CLONE_FAILED => "clone-failed",
        kind::OTHER_MODULES => "other-modules",
        kind::OTHER_SYNC => "other-sync",
        _ => "unknown",
    };
    let cause = match number {
        kind::OTHER_MEMORY => {
            "the address is taken here: another kernel, a memory limit (ulimit -v), or another stack limit (ulimit -s)"
        }
        kind::OTHER_FILE => "the file was changed since the recording",
        kind::EXEC_FAILED => "the program is missing here, or was changed since the recording",
        kind::CLONE_FAILED => {
            "a limit on processes or memory is lower here than it was (ulimit -u, cgroup)"
        }
        kind::OTHER_MODULES => {
            "a library was updated since the recording, or the loader finds another one here"
        }
        _ => return (name, unrecorded_input(trace, process)),
    };
    (name, cause.to_owned())
}

/// Something that the recording did not see: a race, told by its own warnings, or guessed.
pub fn unrecorded_input(trace: &Trace, process: ProcessId) -> String {
    if races::is_parallel(trace, process) {
        return races::cause(trace, process);
    }
    let notes = trace.summary().notes;
    if let Some(note) = notes
        .iter()
        .find(|note| note.process == process && TELLING_NOTES.contains(&note.code))
    {
        let what = describe_note(trace, note);
        return format!("unrecorded input: while recording, {what}");
    }
    let threads = trace
        .threads()
        .iter()
        .filter(|thread| thread.process == process)
        .count();
    let guess = if threads > 1 {
        "a data race between its threads, a changed binary, or an input that no call shows (shared memory, rdtsc or rdrand in code made at run time)"
    } else {
        "a changed binary, or an input that no call shows (memory shared with others, rdtsc or rdrand in code made at run time, uninitialised memory)"
    };
    guess.to_owned()
}

/// Why a replay of a recording that stopped early comes to a place where no thread can go on, and what to do.
pub const THE_REST_IS_MISSING: &str = "the recording stopped early (`wayfarer info` says why): what comes next, or what others need of it, is not in the trace";
pub const GET_THE_REST: &str = "what was replayed up to here is what happened; for the rest, record a shorter run, or with more room";

/// Whether the recording stopped early, and that explains a difference of this kind: each thread's log ends elsewhere then.
pub fn is_for_want_of_the_rest(trace: &Trace, kind: &str) -> bool {
    let kinds = [
        "standstill",
        "ended-early",
        "never-started",
        "other-call",
        "other-sync",
    ];
    trace.counters().broken != 0 && kinds.contains(&kind)
}

/// What the user can do; `race`: what to do where the process was recorded in parallel.
pub fn remedy(kind: &str, race: Option<&'static str>) -> String {
    match kind {
        "other-file" | "other-modules" | "exec-failed" => "put the recorded files back, or record again",
        "other-memory" | "clone-failed" => "replay where the limits are those of the recording",
        _ => race.unwrap_or(
            "replay again; if it differs at the same place each time, an input is not recorded there: `wayfarer info` lists the warnings of the recording",
        ),
    }
    .to_owned()
}
