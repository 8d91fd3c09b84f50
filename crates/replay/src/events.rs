//! Records and calls in words.

use wayfarer_calls::Number;
use wayfarer_model::{clocks, errnos, signals};
use wayfarer_runtime_abi::record::{self, Record};
use wayfarer_trace::{Note, Trace};

use crate::late;

/// The name of a call, or its number where it has none.
pub fn call_name(number: i64) -> String {
    let name = u64::try_from(number)
        .ok()
        .map(Number::from)
        .and_then(Number::name);
    name.map_or_else(|| format!("call {number}"), str::to_owned)
}

/// A result as strace shows it: the number, or the name of the error.
pub fn result_text(result: i64) -> String {
    errnos::of_result(result).map_or_else(|| result.to_string(), |name| format!("-1 {name}"))
}

/// A record in a few words: `read → 5`, `clock CLOCK_MONOTONIC`.
pub fn describe(record: &Record) -> String {
    describe_parts(record.tag, record.number as i64, record.value)
}

/// The same for the parts of a record. Tag 0: nothing.
pub fn describe_parts(tag: u8, number: i64, value: i64) -> String {
    match tag {
        0 => "nothing: the log ends here".to_owned(),
        record::SYSCALL => format!("{} → {}", call_name(number), result_text(value)),
        record::SEND => format!(
            "{} of {value} bytes to a stream of the set",
            call_name(number)
        ),
        record::RECEIVE => format!(
            "{} of {value} bytes from a stream of the set",
            call_name(number)
        ),
        record::OUTPUT => format!("{} of {value} bytes to the output", call_name(number)),
        record::EXIT => format!("{} with code {value}", call_name(number)),
        record::SIGNAL => {
            let name = i32::try_from(number).ok().and_then(signals::name);
            format!(
                "handler of {}",
                name.map_or_else(|| format!("signal {number}"), str::to_owned)
            )
        }
        record::CLOCK..=record::CLOCK_LAST => {
            let id = u64::from(tag - record::CLOCK);
            format!(
                "read of clock {}",
                clocks::name(id).map_or_else(|| id.to_string(), str::to_owned)
            )
        }
        record::RESULT if matches!(value, record::UNENDED | record::WENT_OUT) => {
            "no result: the recording ended".to_owned()
        }
        record::RESULT => format!("result {}", result_text(value)),
        record::TURN => format!("turn {number}"),
        record::START => "start of a program".to_owned(),
        record::YIELD => "hand-over by force".to_owned(),
        record::NOTE => format!("note {number}"),
        record::ACQUIRE => format!("run {value} of sync object {number}"),
        record::ACQUIRE_READ => format!("reader's run {value} of sync object {number}"),
        record::WAIT => format!("wait for sync object {number}"),
        record::POSTS => format!("posts of semaphore {number}"),
        record::OUTCOME => format!("outcome {value}"),
        record::OBJECT => format!("first sight of sync object {number}"),
        record::FINAL => format!("end of sync object {number}"),
        record::THREADS => "the second thread of the process".to_owned(),
        other => format!("record {other:#04x}"),
    }
}

/// A warning of the recording in words.
pub fn describe_note(trace: &Trace, note: &Note) -> String {
    use record::note;
    let (value, text) = (note.value, note.text.as_str());
    match note.code {
        note::UNKNOWN_CALL => {
            format!("an unknown system call ({value}) was made; what it wrote is not recorded")
        }
        note::OPAQUE_PROGRAM => {
            format!("{text} was started: static, setuid or foreign, so it is not recorded")
        }
        note::UNKNOWN_IOCTL => {
            format!("an unknown ioctl ({value:#x}) was made; what it wrote is not recorded")
        }
        note::REFUSED_ASYNC_IO => "io_uring or kernel AIO was asked for and refused".to_owned(),
        note::NO_DISPATCH => {
            "this kernel has no Syscall User Dispatch: calls outside libc were not seen".to_owned()
        }
        note::NOT_PATCHED => format!(
            "{text} was not patched (unknown build): all its calls went through dispatch, slowly"
        ),
        note::UNSEEN_CLONE => "a clone that shares memory was not seen".to_owned(),
        note::SHARED_FILE => format!(
            "{} was mapped shared and writable: stores by others are not seen",
            if text.is_empty() { "a file" } else { text }
        ),
        note::FORCED_SIGNAL => {
            format!("signal {value} was delivered by force; its place in a replay is approximate")
        }
        note::DISPATCH_OFF => {
            "all its calls were patched, so Syscall User Dispatch was switched off".to_owned()
        }
        note::THREAD_ROUTINE => format!("the next thread begins at {value:#x}"),
        note::CALLS_BY_LIBC => {
            "a library that cancels threads was loaded: calls are made by libc's own functions"
                .to_owned()
        }
        note::WAITS_INSIDE => "waits for a lock in libc, and lets others in".to_owned(),
        note::LET_IN => "waited for a lock in libc, and let others in".to_owned(),
        note::LATE_LIBRARY => format!(
            "{}; recorded in parallel all the same: a replay may diverge; record with --threads serial",
            late::describe(trace, note)
        ),
        note::LATE_REASON => format!(
            "{}; recorded in parallel all the same: a replay may diverge; record with --threads serial",
            late::describe_reason(trace, note)
        ),
        other => format!("note {other} ({value}) {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_named_and_errors_too() {
        assert_eq!(describe_parts(record::SYSCALL, 0, 5), "read → 5");
        assert_eq!(describe_parts(record::SYSCALL, 0, -11), "read → -1 EAGAIN");
        assert_eq!(
            describe_parts(record::CLOCK + 1, 0, 0),
            "read of clock CLOCK_MONOTONIC"
        );
        assert_eq!(describe_parts(record::SYSCALL, -7, 0), "call -7 → 0");
        assert_eq!(describe_parts(record::SIGNAL, 17, 0), "handler of SIGCHLD");
    }
}
