//! The raw form: the file into which the runtimes of the recorded processes write.
//!
//! It is read as it is found, at any moment: a chunk counts up to what its writer committed, and
//! whatever does not add up is left out and named.

use std::collections::{BTreeMap, HashMap};
use std::mem::{offset_of, size_of};
use std::path::Path;

use wayfarer_model::{ObjectId, ProcessId, ThreadId};
use wayfarer_runtime_abi::UNIT;
use wayfarer_runtime_abi::layout::{self, Chunk, Header, ProcessSlot, ThreadSlot};

use crate::bytes::{u32_at, u64_at};
use crate::error::{Damage, OpenError, ReadError};
use crate::format::{LOG_BLOCK_BYTES, LONGEST_RAW};
use crate::manifest::check_versions;
use crate::source::{Source, read_bytes};
use crate::tables::{Counters, Object, Process, Tables, Thread};
use crate::{FORMAT_VERSION, SESSION_FILE};

/// No chunk holds more: one record of the longest payload, and some.
const LONGEST_PIECE: u64 = LONGEST_RAW - LOG_BLOCK_BYTES as u64;

/// Where committed log bytes of one chunk lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    sequence: u32,
}

pub(crate) struct Session {
    source: Box<dyn Source>,
    pub(crate) tables: Tables,
    pub(crate) damage: Vec<Damage>,
    pieces: HashMap<ThreadId, Vec<Piece>>,
}

impl Session {
    /// `path` is for messages.
    pub(crate) fn open(source: Box<dyn Source>, path: &Path) -> Result<Self, OpenError> {
        let damaged = |offset, reason: String| OpenError::Damaged {
            path: path.to_path_buf(),
            offset,
            reason,
        };
        let head = read_bytes(&*source, 0, size_of::<Header>()).map_err(|_| {
            damaged(
                0,
                format!("it has {} bytes, too few for its head", source.length()),
            )
        })?;
        let u32_of = |offset| u32_at(&head, offset).unwrap_or(0);
        let u64_of = |offset| u64_at(&head, offset).unwrap_or(0);
        if u64_of(offset_of!(Header, magic)) != layout::MAGIC {
            return Err(damaged(0, "it does not begin as a session does".to_owned()));
        }
        check_versions(
            path,
            FORMAT_VERSION,
            u32_of(offset_of!(Header, abi_version)),
        )?;
        let counters = Counters {
            flags: u32_of(offset_of!(Header, flags)),
            broken: u32_of(offset_of!(Header, broken)),
            broken_errno: u32_of(offset_of!(Header, broken_errno)),
            dispatch_traps: u32_of(offset_of!(Header, dispatch_traps)),
            output_writes: u32_of(offset_of!(Header, output_turn)),
            start_realtime_ns: u64_of(offset_of!(Header, start_realtime_ns)),
        };
        let mut session = Self {
            source,
            tables: Tables {
                counters,
                ..Tables::default()
            },
            damage: Vec::new(),
            pieces: HashMap::new(),
        };
        session.read_processes(u32_of(offset_of!(Header, next_process)));
        session.read_threads(u32_of(offset_of!(Header, next_thread)));
        session.read_objects(u32_of(offset_of!(Header, next_object)));
        session.read_arena(u64_of(offset_of!(Header, arena_next)));
        session.tables.complete();
        Ok(session)
    }

    pub(crate) fn source(&self) -> &dyn Source {
        &*self.source
    }

    /// The pieces of a thread's log, in order.
    pub(crate) fn pieces(&self, thread: ThreadId) -> &[Piece] {
        self.pieces.get(&thread).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn read_piece(&self, piece: Piece) -> Result<Vec<u8>, ReadError> {
        let Piece { offset, length, .. } = piece;
        // The length was held against the file when the chunk was found.
        read_bytes(&*self.source, offset, length as usize).map_err(|source| ReadError::Unreadable {
            file: SESSION_FILE,
            offset,
            source,
        })
    }

    fn note(&mut self, offset: u64, reason: String) {
        self.damage.push(Damage {
            file: SESSION_FILE,
            offset,
            reason,
            thread: None,
            good_until: 0,
        });
    }

    /// Calls `row` with the number and bytes of each slot of a table up to `next`, which is
    /// included: the thread that took that number may not have counted yet.
    fn read_table(
        &mut self,
        what: &str,
        (table, slot_size, slots): (u64, usize, u32),
        next: u32,
        row: &mut dyn FnMut(&mut Tables, u32, &[u8]),
    ) {
        if next > slots {
            self.note(
                0,
                format!("its head counts {next} {what}, more than the {slots} there can be"),
            );
        }
        let last = next.min(slots - 1);
        const ROWS_AT_ONCE: u32 = 1024;
        let mut first = 0;
        while first <= last {
            let count = (last - first + 1).min(ROWS_AT_ONCE);
            let offset = table + u64::from(first) * slot_size as u64;
            let bytes = match read_bytes(&*self.source, offset, count as usize * slot_size) {
                Ok(bytes) => bytes,
                Err(error) => {
                    self.note(
                        offset,
                        format!("the table of {what} cannot be read: {error}"),
                    );
                    return;
                }
            };
            for (index, slot) in (first..).zip(bytes.chunks_exact(slot_size)) {
                if index != 0 {
                    row(&mut self.tables, index, slot);
                }
            }
            first += count;
        }
    }

    fn read_processes(&mut self, next: u32) {
        let place = (
            layout::PROCESSES_OFFSET,
            size_of::<ProcessSlot>(),
            layout::RECORDED_PROCESSES,
        );
        self.read_table("processes", place, next, &mut |tables, index, slot| {
            let field = |offset| u32_at(slot, offset).unwrap_or(0);
            let state = field(offset_of!(ProcessSlot, state));
            let pid = field(offset_of!(ProcessSlot, pid));
            let main_thread = field(offset_of!(ProcessSlot, main_thread));
            if state == layout::process_state::FREE && pid == 0 && main_thread == 0 {
                return;
            }
            let name = &slot[offset_of!(ProcessSlot, name)..][..32];
            let end = name
                .iter()
                .position(|byte| *byte == 0)
                .unwrap_or(name.len());
            tables.processes.push(Process {
                id: ProcessId(index),
                parent: ProcessId(field(offset_of!(ProcessSlot, parent))),
                pid,
                main_thread: ThreadId(main_thread),
                program: String::from_utf8_lossy(&name[..end]).into_owned(),
                name: String::new(),
                state,
                status: field(offset_of!(ProcessSlot, status)),
                flags: field(offset_of!(ProcessSlot, flags)),
                execs: field(offset_of!(ProcessSlot, execs)),
                end_in_log: None,
            });
        });
    }

    fn read_threads(&mut self, next: u32) {
        let place = (
            layout::THREADS_OFFSET,
            size_of::<ThreadSlot>(),
            layout::RECORDED_THREADS,
        );
        self.read_table("threads", place, next, &mut |tables, index, slot| {
            let process = u32_at(slot, offset_of!(ThreadSlot, process)).unwrap_or(0);
            if process != 0 {
                tables.threads.push(Thread {
                    id: ThreadId(index),
                    process: ProcessId(process),
                    tid: u32_at(slot, offset_of!(ThreadSlot, tid)).unwrap_or(0),
                    log_length: 0,
                });
            }
        });
    }

    fn read_objects(&mut self, next: u32) {
        let place = (
            layout::OBJECTS_OFFSET,
            size_of::<layout::Object>(),
            layout::MAX_OBJECTS,
        );
        self.read_table("objects", place, next, &mut |tables, index, slot| {
            let field = |offset| u32_at(slot, offset).unwrap_or(0);
            let kind = field(offset_of!(layout::Object, kind));
            if kind != 0 {
                tables.objects.push(Object {
                    id: ObjectId(index),
                    kind,
                    flags: field(offset_of!(layout::Object, flags)),
                    process: ProcessId(field(offset_of!(layout::Object, process))),
                    thread: ThreadId(field(offset_of!(layout::Object, thread))),
                });
            }
        });
    }

    /// Finds the chunks of all logs.
    fn read_arena(&mut self, next_unit: u64) {
        let arena_bytes = self.source.length().saturating_sub(layout::ARENA_OFFSET);
        let there = arena_bytes.div_ceil(UNIT);
        if next_unit > there {
            let text = format!("its head counts {next_unit} units of log, the file has {there}");
            self.note(self.source.length(), text);
        }
        let units = next_unit.min(there);
        let mut chunks: BTreeMap<u32, (u32, Vec<Piece>)> = BTreeMap::new();
        let mut unit = 0;
        while unit < units {
            let offset = layout::ARENA_OFFSET + unit * UNIT;
            unit += 1;
            let Ok(head) = read_bytes(&*self.source, offset, size_of::<Chunk>()) else {
                self.note(
                    offset,
                    "the file ends within the head of a chunk".to_owned(),
                );
                break;
            };
            let field = |offset| u32_at(&head, offset).unwrap_or(0);
            if field(offset_of!(Chunk, magic)) != layout::CHUNK_MAGIC {
                // Taken but not yet begun when the session was cut, or damaged; a damaged one
                // shows as a gap in its thread.
                continue;
            }
            let thread = field(offset_of!(Chunk, thread));
            let chunk_units = u64::from(field(offset_of!(Chunk, units)));
            if thread == 0 || thread >= layout::RECORDED_THREADS || chunk_units == 0 {
                self.note(offset, "the head of a chunk makes no sense".to_owned());
                continue;
            }
            let committed = u64_at(&head, offset_of!(Chunk, committed)).unwrap_or(0);
            let begin = offset + layout::CHUNK_HEAD;
            let room = chunk_units.saturating_mul(UNIT) - layout::CHUNK_HEAD;
            let there = self.source.length().saturating_sub(begin);
            if committed > room.min(there).min(LONGEST_PIECE) {
                let text = format!("a chunk claims {committed} bytes, more than there are");
                self.note(offset, text);
                continue;
            }
            unit += chunk_units - 1;
            let process = field(offset_of!(Chunk, process));
            let piece = Piece {
                offset: begin,
                length: committed,
                sequence: field(offset_of!(Chunk, sequence)),
            };
            chunks
                .entry(thread)
                .or_insert((process, Vec::new()))
                .1
                .push(piece);
        }
        for (thread, (process, pieces)) in chunks {
            self.add_log(ThreadId(thread), ProcessId(process), pieces);
        }
    }

    /// Takes the chunks of one thread as far as they follow each other.
    fn add_log(&mut self, thread: ThreadId, process: ProcessId, mut pieces: Vec<Piece>) {
        // Stable, so of two chunks with one number the first in the file counts.
        pieces.sort_by_key(|piece| piece.sequence);
        let good = (0..)
            .zip(&pieces)
            .take_while(|(index, piece)| piece.sequence == *index)
            .count();
        let length = pieces[..good].iter().map(|piece| piece.length).sum();
        if let Some(piece) = pieces.get(good) {
            let found = piece.sequence;
            self.damage.push(Damage {
                file: SESSION_FILE,
                offset: piece.offset - layout::CHUNK_HEAD,
                reason: format!("chunk {good} of thread {thread} should come next, not {found}"),
                thread: Some(thread),
                good_until: length,
            });
        }
        pieces.truncate(good);
        self.pieces.insert(thread, pieces);
        let row = match self
            .tables
            .threads
            .binary_search_by_key(&thread, |row| row.id)
        {
            Ok(row) => row,
            Err(row) => {
                let missing = Thread {
                    id: thread,
                    process,
                    tid: 0,
                    log_length: 0,
                };
                self.tables.threads.insert(row, missing);
                row
            }
        };
        self.tables.threads[row].log_length = length;
    }
}
