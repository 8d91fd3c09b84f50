//! The tables of a trace: processes, threads, objects and the counters of the session.

use wayfarer_model::{ObjectId, ProcessEnd, ProcessId, ThreadId};
use wayfarer_runtime_abi::layout::process_state;

use crate::bytes::{Cursor, modest_capacity, push_string, push_varint};

/// A process, as far as the tables know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub id: ProcessId,
    /// 0 for the first one.
    pub parent: ProcessId,
    /// Process id as the program saw it.
    pub pid: u32,
    pub main_thread: ThreadId,
    /// Name of its program: that of its last exec, or its parent's at the fork.
    pub program: String,
    /// Name among all processes: the program's, with `.2` … from the second on.
    pub name: String,
    /// One of `layout::process_state`.
    pub state: u32,
    /// Exit code when `state` is `EXITED`.
    pub status: u32,
    /// Bits of `layout::process_flags`.
    pub flags: u32,
    /// Programs that it began by exec after its first one.
    pub execs: u32,
    /// How it ended, as far as the events tell ([`crate::Trace::end_of`] knows more).
    pub(crate) end_in_log: Option<ProcessEnd>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub id: ThreadId,
    pub process: ProcessId,
    /// Thread id as the program saw it.
    pub tid: u32,
    /// Bytes of its log.
    pub log_length: u64,
}

/// A pipe or connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub id: ObjectId,
    /// One of `layout::object_kind`.
    pub kind: u32,
    /// Bits of `layout::object_flags`.
    pub flags: u32,
    /// The thread that made it.
    pub process: ProcessId,
    pub thread: ThreadId,
}

/// Counters from the head of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Bits of `layout::flags` under which it was recorded.
    pub flags: u32,
    /// A `Broken` as number; 0: the recording never stepped aside.
    pub broken: u32,
    /// The system error behind `broken`, 0 where there is none.
    pub broken_errno: u32,
    /// Calls that came through dispatch instead of a patched site.
    pub dispatch_traps: u32,
    /// Writes to the output that the session inherited.
    pub output_writes: u32,
    /// Nanoseconds since 1970 when the session began.
    pub start_realtime_ns: u64,
}

/// All tables together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables {
    pub(crate) counters: Counters,
    /// Sorted by id, as the other two.
    pub(crate) processes: Vec<Process>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) objects: Vec<Object>,
}

impl Tables {
    /// Adds a row for each process that a thread names and the table does not have, so that every thread
    /// has its process.
    pub(crate) fn complete(&mut self) {
        for thread in &self.threads {
            let place = self
                .processes
                .binary_search_by_key(&thread.process, |row| row.id);
            if let Err(place) = place {
                let missing = Process {
                    id: thread.process,
                    parent: ProcessId(0),
                    pid: 0,
                    main_thread: thread.id,
                    program: String::new(),
                    name: String::new(),
                    state: process_state::ENDED,
                    status: 0,
                    flags: 0,
                    execs: 0,
                    end_in_log: None,
                };
                self.processes.insert(place, missing);
            }
        }
    }

    /// The body of a `TABLES` block: counts and rows of varints, see `docs/trace-format.md`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let counters = &self.counters;
        let session = [
            u64::from(counters.flags),
            u64::from(counters.broken),
            u64::from(counters.broken_errno),
            u64::from(counters.dispatch_traps),
            u64::from(counters.output_writes),
            counters.start_realtime_ns,
        ];
        session
            .into_iter()
            .for_each(|field| push_varint(&mut bytes, field));
        push_varint(&mut bytes, self.processes.len() as u64);
        for row in &self.processes {
            let Process {
                id,
                parent,
                pid,
                main_thread,
                state,
                status,
                flags,
                execs,
                ..
            } = row;
            for field in [
                id.0,
                parent.0,
                *pid,
                main_thread.0,
                *state,
                *status,
                *flags,
                *execs,
            ] {
                push_varint(&mut bytes, u64::from(field));
            }
            push_string(&mut bytes, row.program.as_bytes());
        }
        push_varint(&mut bytes, self.threads.len() as u64);
        for row in &self.threads {
            for field in [row.id.0, row.process.0, row.tid] {
                push_varint(&mut bytes, u64::from(field));
            }
            push_varint(&mut bytes, row.log_length);
        }
        push_varint(&mut bytes, self.objects.len() as u64);
        for row in &self.objects {
            for field in [row.id.0, row.kind, row.flags, row.process.0, row.thread.0] {
                push_varint(&mut bytes, u64::from(field));
            }
        }
        bytes
    }

    /// `None` when the bytes are not what [`Self::encode`] makes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(bytes);
        let from = &mut cursor;
        let counters = Counters {
            flags: from.varint_u32()?,
            broken: from.varint_u32()?,
            broken_errno: from.varint_u32()?,
            dispatch_traps: from.varint_u32()?,
            output_writes: from.varint_u32()?,
            start_realtime_ns: from.varint()?,
        };
        let processes = rows(from, |from| {
            Some(Process {
                id: ProcessId(from.varint_u32()?),
                parent: ProcessId(from.varint_u32()?),
                pid: from.varint_u32()?,
                main_thread: ThreadId(from.varint_u32()?),
                state: from.varint_u32()?,
                status: from.varint_u32()?,
                flags: from.varint_u32()?,
                execs: from.varint_u32()?,
                program: String::from_utf8_lossy(from.string()?).into_owned(),
                name: String::new(),
                end_in_log: None,
            })
        })?;
        let threads = rows(from, |from| {
            Some(Thread {
                id: ThreadId(from.varint_u32()?),
                process: ProcessId(from.varint_u32()?),
                tid: from.varint_u32()?,
                log_length: from.varint()?,
            })
        })?;
        let objects = rows(from, |from| {
            Some(Object {
                id: ObjectId(from.varint_u32()?),
                kind: from.varint_u32()?,
                flags: from.varint_u32()?,
                process: ProcessId(from.varint_u32()?),
                thread: ThreadId(from.varint_u32()?),
            })
        })?;
        let ascending = processes.is_sorted_by(|a, b| a.id < b.id)
            && threads.is_sorted_by(|a, b| a.id < b.id)
            && objects.is_sorted_by(|a, b| a.id < b.id);
        (from.rest().is_empty() && ascending).then_some(Self {
            counters,
            processes,
            threads,
            objects,
        })
    }
}

fn rows<T>(from: &mut Cursor<'_>, row: impl Fn(&mut Cursor<'_>) -> Option<T>) -> Option<Vec<T>> {
    let count = from.varint()?;
    let mut rows = Vec::with_capacity(modest_capacity(count));
    for _ in 0..count {
        rows.push(row(from)?);
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_round_trip_and_refuse_other_bytes() {
        let tables = Tables {
            counters: Counters {
                dispatch_traps: 7,
                start_realtime_ns: u64::MAX,
                ..Counters::default()
            },
            processes: vec![Process {
                id: ProcessId(3),
                parent: ProcessId(1),
                pid: 4_000_000,
                main_thread: ThreadId(9),
                program: "bash".to_owned(),
                name: String::new(),
                state: 2,
                status: 1,
                flags: 2,
                execs: 1,
                end_in_log: None,
            }],
            threads: vec![Thread {
                id: ThreadId(9),
                process: ProcessId(3),
                tid: 5,
                log_length: 1 << 40,
            }],
            objects: vec![Object {
                id: ObjectId(2),
                kind: 4,
                flags: 1,
                process: ProcessId(3),
                thread: ThreadId(9),
            }],
        };
        let bytes = tables.encode();
        assert_eq!(Tables::decode(&bytes), Some(tables));
        for length in 0..bytes.len() {
            assert_eq!(Tables::decode(&bytes[..length]), None);
        }
    }
}
