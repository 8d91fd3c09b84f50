//! Builds the session of a replay from a trace: the tables as they were, the logs in the arena.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use nix::fcntl::{FallocateFlags, fallocate};
use wayfarer_model::{ProcessEnd, ThreadId};
use wayfarer_replay::{Plan, PlanError, RunLengths};
use wayfarer_runtime_abi::UNIT;
use wayfarer_runtime_abi::layout::{
    ARENA_OFFSET, MAX_OBJECTS, MAX_PROCESSES, MAX_THREADS, MODE_REPLAY, flags, process_flags,
    process_state,
};
use wayfarer_trace::Trace;

use crate::session::{Session, SessionError};

/// Set in `end_status` when the recorded end is known.
const END_KNOWN: u32 = 1 << 31;
/// Zero bytes behind each log, so that the runtime may read whole words at its end.
const BEHIND_LOG: u64 = 16;
/// Larger logs go to a file in the directory for temporary files instead of into memory.
const MOST_IN_MEMORY: u64 = 1 << 30;

/// Bytes of a log that are written anew at a time.
const REWRITTEN_AT_ONCE: u64 = 1 << 20;

/// Why a trace could not be laid out for a replay.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error("the trace names {what} {number}, more than there can be; it is damaged")]
    TooLarge { what: &'static str, number: u32 },
    #[error("the logs have {bytes} bytes, more than a session holds")]
    LogsTooLarge { bytes: u64 },
    #[error(
        "no room for the replay's own copy of the logs: {0}; free some space, or set TMPDIR to a place that has some"
    )]
    NoRoom(io::Error),
}

/// Makes the session of a replay; nothing runs yet.
pub fn build(trace: &Trace, only: Option<&str>) -> Result<(Session, Plan), BuildError> {
    let log_bytes: u64 = trace.threads().iter().map(|thread| thread.log_length).sum();
    let mut session = if log_bytes > MOST_IN_MEMORY {
        Session::in_temporary_file()?
    } else {
        Session::in_memory()?
    };
    let mut logs = Logs {
        file: session.file(),
        next: ARENA_OFFSET,
        places: BTreeMap::new(),
        failure: None,
    };
    let plan = Plan::of(trace, only, &mut |thread, piece| logs.append(thread, piece))?;
    if !plan.runs.is_empty() {
        logs.tell_own_lengths(&plan.runs);
    }
    let Logs {
        next,
        places,
        failure,
        ..
    } = logs;
    match failure {
        Some(error) => return Err(BuildError::NoRoom(error)),
        None if next + UNIT > ARENA_OFFSET + session.header().arena_units * UNIT => {
            return Err(BuildError::LogsTooLarge {
                bytes: next - ARENA_OFFSET,
            });
        }
        None => {}
    }
    let header = session.header_mut();
    header.mode = MODE_REPLAY;
    header.flags = trace.counters().flags
        | if plan.wanted.is_some() {
            flags::ONLY
        } else {
            0
        };
    header.start_realtime_ns = trace.counters().start_realtime_ns;
    *header.next_sync.get_mut() =
        u32::try_from(plan.runs.highest_object().saturating_add(1)).unwrap_or(u32::MAX);
    *header.arena_next.get_mut() = (next + BEHIND_LOG - ARENA_OFFSET).div_ceil(UNIT);
    fill_processes(&mut session, trace, &plan)?;
    fill_objects(&mut session, trace)?;
    fill_threads(&mut session, trace, &places)?;
    Ok((session, plan))
}

/// The logs on their way into the arena, one behind the other.
struct Logs<'a> {
    file: &'a File,
    next: u64,
    /// Offset and length of each log.
    places: BTreeMap<ThreadId, (u64, u64)>,
    failure: Option<io::Error>,
}

impl Logs<'_> {
    /// Makes a place for the log of a thread that has none yet.
    fn append_first(&mut self, thread: ThreadId) {
        if !self.places.contains_key(&thread) {
            // What was never written reads as zero.
            if self.next != ARENA_OFFSET {
                self.next = (self.next + BEHIND_LOG).next_multiple_of(8);
            }
            self.places.insert(thread, (self.next, 0));
        }
    }

    fn append(&mut self, thread: ThreadId, piece: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        self.append_first(thread);
        let (_, length) = self.places.entry(thread).or_insert((self.next, 0));
        match self.file.write_all_at(piece, self.next) {
            Ok(()) => {
                *length += piece.len() as u64;
                self.next += piece.len() as u64;
            }
            Err(error) => self.failure = Some(error),
        }
    }

    /// Writes all logs once more, behind what there is, each run with its own length, and gives the
    /// room of the old ones back.
    fn tell_own_lengths(&mut self, runs: &RunLengths) {
        let old = std::mem::take(&mut self.places);
        for (thread, (offset, length)) in old {
            // An empty log has its place too.
            self.append_first(thread);
            if let Err(error) = self.rewrite(thread, (offset, length), runs) {
                self.failure = Some(error);
                return;
            }
            // Without it the replay merely takes more room.
            let _ = fallocate(
                self.file,
                FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE,
                offset as i64,
                length as i64,
            );
        }
    }

    fn rewrite(
        &mut self,
        thread: ThreadId,
        (offset, length): (u64, u64),
        runs: &RunLengths,
    ) -> io::Result<()> {
        let mut bytes: Vec<u8> = Vec::new();
        let mut written = Vec::new();
        let mut done = 0;
        while done < length {
            // A record that is longer than what is there makes the next piece longer.
            let more = (length - done).min(REWRITTEN_AT_ONCE.max(bytes.len() as u64));
            let kept = bytes.len();
            bytes.resize(kept + more as usize, 0);
            self.file.read_exact_at(&mut bytes[kept..], offset + done)?;
            done += more;
            let copied = runs.rewrite(&bytes, &mut written);
            bytes.drain(..copied);
            if done == length {
                // What is no record at the end of a damaged log stays as it is.
                written.append(&mut bytes);
            }
            self.append(thread, &written);
            written.clear();
        }
        self.failure.take().map_or(Ok(()), Err)
    }
}

fn fill_processes(session: &mut Session, trace: &Trace, plan: &Plan) -> Result<(), BuildError> {
    let mut next = 1;
    for process in trace.processes() {
        let too_large = BuildError::TooLarge {
            what: "process",
            number: process.id.0,
        };
        let slot = session.process_mut(process.id.0).ok_or(too_large)?;
        let is_root = process.id == plan.root;
        *slot.state.get_mut() = if is_root {
            process_state::RUNNING
        } else {
            process_state::FREE
        };
        slot.parent.set(process.parent.0);
        slot.pid.set(process.pid);
        slot.main_thread.set(process.main_thread.0);
        let wanted = plan
            .wanted
            .as_ref()
            .is_some_and(|wanted| wanted.contains(&process.id));
        let kept = process.flags & process_flags::SHARED_DOMAIN;
        *slot.flags.get_mut() = kept | if wanted { process_flags::WANTED } else { 0 };
        let end = plan.ends.get(&process.id);
        slot.end_status.set(end.map_or(0, |end| end_status(*end)));
        for (to, from) in slot.name.iter().zip(process.program.bytes()) {
            to.set(from);
        }
        next = next.max(process.id.0 + 1);
    }
    *session.header_mut().next_process.get_mut() = next.min(MAX_PROCESSES);
    Ok(())
}

fn end_status(end: ProcessEnd) -> u32 {
    end.wait_status()
        .map_or(0, |status| status.0 as u32 | END_KNOWN)
}

fn fill_objects(session: &mut Session, trace: &Trace) -> Result<(), BuildError> {
    let mut next = 2;
    for object in trace.objects() {
        let too_large = BuildError::TooLarge {
            what: "object",
            number: object.id.0,
        };
        let slot = session.object_mut(object.id.0).ok_or(too_large)?;
        slot.kind.set(object.kind);
        *slot.flags.get_mut() = object.flags;
        slot.process.set(object.process.0);
        slot.thread.set(object.thread.0);
        next = next.max(object.id.0 + 1);
    }
    *session.header_mut().next_object.get_mut() = next.min(MAX_OBJECTS);
    Ok(())
}

fn fill_threads(
    session: &mut Session,
    trace: &Trace,
    places: &BTreeMap<ThreadId, (u64, u64)>,
) -> Result<(), BuildError> {
    let mut next = 1;
    for thread in trace.threads() {
        let too_large = BuildError::TooLarge {
            what: "thread",
            number: thread.id.0,
        };
        let slot = session.thread_mut(thread.id.0).ok_or(too_large)?;
        slot.process.set(thread.process.0);
        slot.tid.set(thread.tid);
        let (offset, length) = places.get(&thread.id).copied().unwrap_or((ARENA_OFFSET, 0));
        slot.log_offset.set(offset);
        slot.log_length.set(length);
        next = next.max(thread.id.0 + 1);
    }
    *session.header_mut().next_thread.get_mut() = next.min(MAX_THREADS);
    Ok(())
}
