//! Sessions made by hand: what tests, benchmarks and fuzzing read instead of a recording.

use std::mem::{offset_of, size_of};

pub use wayfarer_calls::Number;
use wayfarer_model::{ObjectId, ProcessId, ThreadId};
use wayfarer_runtime_abi::layout::{self, Chunk, Header, ProcessSlot, ThreadSlot, process_state};
use wayfarer_runtime_abi::record::{self, Acquire, Birth, Child, Head};
use wayfarer_runtime_abi::{ABI_VERSION, UNIT, wait};

use crate::bytes::push_string;
use crate::source::Sparse;

/// Records of one thread, each with its own bytes.
#[derive(Clone, Debug, Default)]
pub struct Log {
    records: Vec<Vec<u8>>,
}

impl Log {
    pub fn new() -> Self {
        Self::default()
    }

    /// All bytes, as a reader gets them.
    pub fn bytes(&self) -> Vec<u8> {
        self.records.concat()
    }

    /// Any record.
    pub fn record(&mut self, head: Head, payload: Option<&[u8]>) {
        let record = match payload {
            None => head.encode().to_vec(),
            Some(payload) => [&head.with_payload(payload.len()).encode(), payload].concat(),
        };
        self.records.push(record);
    }

    pub fn syscall(&mut self, number: Number, check: u8, result: i64, payload: Option<&[u8]>) {
        self.record(Head::call(number.word(), check, result), payload);
    }

    pub fn send(&mut self, number: Number, check: u8, length: u64) {
        let head = Head::new(record::SEND, number.word(), check, length as i64);
        self.record(head, None);
    }

    pub fn receive(&mut self, number: Number, check: u8, count: u64) {
        let head = Head::new(record::RECEIVE, number.word(), check, count as i64);
        self.record(head, None);
    }

    pub fn note(&mut self, code: u64, value: i64, text: &str) {
        self.record(
            Head::new(record::NOTE, code, 0, value),
            Some(text.as_bytes()),
        );
    }

    /// An exit or exit_group.
    pub fn exit(&mut self, number: Number, code: i64) {
        self.record(Head::new(record::EXIT, number.word(), 0, code), None);
    }

    pub fn clock(&mut self, id: u8, delta: i64) {
        self.record(Head::clock(id, delta), None);
    }

    pub fn result(&mut self, result: i64) {
        self.record(Head::result(result), None);
    }

    pub fn turn(&mut self, turn: u64) {
        self.record(Head::turn(turn), None);
    }

    /// The start of a program without arguments, environment and modules.
    pub fn start(&mut self, path: &str) {
        self.start_as(path, path);
    }

    /// The start of a program that was called by another path than its own.
    pub fn start_as(&mut self, path: &str, called: &str) {
        let mut payload = Vec::new();
        for field in [path, "/", called, "", "", "", "0123456789abcdef"] {
            push_string(&mut payload, field.as_bytes());
        }
        self.start_with(&payload);
    }

    /// The start of a program with these fields.
    pub fn start_with(&mut self, fields: &[u8]) {
        self.record(Head::bare(record::START), Some(fields));
    }

    /// A fork or clone whose child got these numbers.
    pub fn child(&mut self, call: Number, pid: u32, process: ProcessId, thread: ThreadId) {
        let child = Child {
            process: process.0,
            thread: thread.0,
        };
        self.syscall(call, 0, 0, Some(&child.encode()));
        self.result(i64::from(pid));
    }

    /// An execve of a program that cannot be followed.
    pub fn opaque_exec(&mut self, path: &str) {
        let payload = [&[record::exec::OPAQUE, 0, 0, 0, 0], path.as_bytes()].concat();
        self.syscall(Number::EXECVE, 0, 0, Some(&payload));
    }

    /// A wait4 that was told of a child's end.
    pub fn wait4(&mut self, pid: u32, wait_status: i32) {
        self.syscall(
            Number::WAIT4,
            0,
            i64::from(pid),
            Some(&wait_status.to_le_bytes()),
        );
    }

    /// A thread began a run of a sync object as a writer; `length`: of the run before.
    pub fn acquire(&mut self, object: u64, run: u64, length: u64) {
        self.begin_run(false, object, run, length);
    }

    /// The same as a reader.
    pub fn acquire_read(&mut self, object: u64, run: u64, length: u64) {
        self.begin_run(true, object, run, length);
    }

    /// The acquisition noted last had to wait so long.
    pub fn wait(&mut self, object: u64, nanoseconds: u64) {
        self.wait_behind(object, nanoseconds, 0);
    }

    /// The same, and the wait began so many runs before.
    pub fn wait_behind(&mut self, object: u64, nanoseconds: u64, behind: u32) {
        let (scale, count) = wait::rounded(nanoseconds);
        let value = wait::value(count, behind) as i64;
        self.record(Head::new(record::WAIT, object, scale, value), None);
    }

    /// So many accesses of the run before were posts.
    pub fn posts(&mut self, object: u64, count: u64) {
        self.record(Head::new(record::POSTS, object, 0, count as i64), None);
    }

    /// A barrier for so many threads got its number.
    pub fn barrier(&mut self, object: u64, members: i64) {
        let head = Head::new(record::OBJECT, object, record::sync::BARRIER, members);
        self.record(head, Some(&Birth::default().encode()));
    }

    fn begin_run(&mut self, reads: bool, object: u64, run: u64, length: u64) {
        let acquire = Acquire {
            reads,
            object,
            run,
            length,
        };
        self.records.push(acquire.encode().to_vec());
    }

    /// A sync object got its number.
    pub fn sync_object(&mut self, object: u64, kind: u8, address: u64, place: u64) {
        let birth = Birth { address, place };
        let head = Head::new(record::OBJECT, object, kind, 0);
        self.record(head, Some(&birth.encode()));
    }

    /// The length of the last run of a sync object.
    pub fn final_run(&mut self, object: u64, length: u64) {
        self.record(Head::new(record::FINAL, object, 0, length as i64), None);
    }

    /// A try or a timed wait with a result, after `skipped` with the usual one.
    pub fn outcome(&mut self, skipped: u64, result: i64) {
        self.record(Head::new(record::OUTCOME, skipped, 0, result), None);
    }

    /// The process got its second thread.
    pub fn threads(&mut self, mode: u64, reason: u8, value: i64) {
        self.record(Head::new(record::THREADS, mode, reason, value), None);
    }

    /// Bytes that need not be a record.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.records.push(bytes.to_vec());
    }
}

/// Builds a session.
#[derive(Clone, Debug)]
pub struct SessionBuilder {
    file: Sparse,
    processes: u32,
    threads: u32,
    objects: u32,
    units: u64,
}

impl Default for SessionBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionBuilder {
    pub fn new() -> Self {
        let mut file = Sparse::new(layout::ARENA_OFFSET);
        let mut head = vec![0; size_of::<Header>()];
        put_u64(&mut head, offset_of!(Header, magic), layout::MAGIC);
        put_u32(&mut head, offset_of!(Header, abi_version), ABI_VERSION);
        put_u32(&mut head, offset_of!(Header, mode), layout::MODE_RECORD);
        file.write(layout::HEADER_OFFSET, &head);
        Self {
            file,
            processes: 0,
            threads: 0,
            objects: 0,
            units: 0,
        }
    }

    /// Adds a process with its first thread.
    pub fn process(&mut self, parent: ProcessId, pid: u32, name: &str) -> (ProcessId, ThreadId) {
        self.processes += 1;
        let id = ProcessId(self.processes);
        let thread = self.thread(id, pid);
        let mut slot = vec![0; size_of::<ProcessSlot>()];
        put_u32(
            &mut slot,
            offset_of!(ProcessSlot, state),
            process_state::RUNNING,
        );
        put_u32(&mut slot, offset_of!(ProcessSlot, parent), parent.0);
        put_u32(&mut slot, offset_of!(ProcessSlot, pid), pid);
        put_u32(&mut slot, offset_of!(ProcessSlot, main_thread), thread.0);
        let name = &name.as_bytes()[..name.len().min(31)];
        let place = offset_of!(ProcessSlot, name);
        slot[place..place + name.len()].copy_from_slice(name);
        let offset = layout::PROCESSES_OFFSET + u64::from(id.0) * slot.len() as u64;
        self.file.write(offset, &slot);
        (id, thread)
    }

    /// Sets state and status of a process.
    pub fn state(&mut self, process: ProcessId, state: u32, status: u32) {
        let slot =
            layout::PROCESSES_OFFSET + u64::from(process.0) * size_of::<ProcessSlot>() as u64;
        let state_offset = slot + offset_of!(ProcessSlot, state) as u64;
        self.file.write(state_offset, &state.to_le_bytes());
        let status_offset = slot + offset_of!(ProcessSlot, status) as u64;
        self.file.write(status_offset, &status.to_le_bytes());
    }

    pub fn thread(&mut self, process: ProcessId, tid: u32) -> ThreadId {
        self.threads += 1;
        let id = ThreadId(self.threads);
        let mut slot = vec![0; size_of::<ThreadSlot>()];
        put_u32(&mut slot, offset_of!(ThreadSlot, process), process.0);
        put_u32(&mut slot, offset_of!(ThreadSlot, tid), tid);
        self.file.write(
            layout::THREADS_OFFSET + u64::from(id.0) * slot.len() as u64,
            &slot,
        );
        id
    }

    pub fn object(&mut self, kind: u32, flags: u32, by: (ProcessId, ThreadId)) -> ObjectId {
        self.objects += 1;
        let id = ObjectId(self.objects);
        let mut slot = vec![0; size_of::<layout::Object>()];
        put_u32(&mut slot, offset_of!(layout::Object, kind), kind);
        put_u32(&mut slot, offset_of!(layout::Object, flags), flags);
        put_u32(&mut slot, offset_of!(layout::Object, process), by.0.0);
        put_u32(&mut slot, offset_of!(layout::Object, thread), by.1.0);
        self.file.write(
            layout::OBJECTS_OFFSET + u64::from(id.0) * slot.len() as u64,
            &slot,
        );
        id
    }

    /// Writes a log into chunks of at least `units` units, as a runtime does.
    pub fn log(&mut self, owner: (ProcessId, ThreadId), log: &Log, units: u64) {
        let mut sequence = 0;
        let mut body: Vec<u8> = Vec::new();
        for record in &log.records {
            let room = (units * UNIT - layout::CHUNK_HEAD) as usize;
            if !body.is_empty() && body.len() + record.len() > room {
                self.chunk(owner, sequence, units, &body);
                sequence += 1;
                body.clear();
            }
            body.extend_from_slice(record);
        }
        self.chunk(owner, sequence, units, &body);
    }

    /// Writes one chunk, of more units when the body needs them.
    pub fn chunk(
        &mut self,
        (process, thread): (ProcessId, ThreadId),
        sequence: u32,
        units: u64,
        body: &[u8],
    ) {
        let units = units.max((body.len() as u64 + layout::CHUNK_HEAD).div_ceil(UNIT));
        let mut chunk = vec![0; layout::CHUNK_HEAD as usize];
        put_u32(&mut chunk, offset_of!(Chunk, magic), layout::CHUNK_MAGIC);
        put_u32(&mut chunk, offset_of!(Chunk, thread), thread.0);
        put_u32(&mut chunk, offset_of!(Chunk, sequence), sequence);
        put_u32(&mut chunk, offset_of!(Chunk, units), units as u32);
        put_u64(&mut chunk, offset_of!(Chunk, committed), body.len() as u64);
        put_u32(&mut chunk, offset_of!(Chunk, process), process.0);
        chunk.extend_from_slice(body);
        self.file
            .write(layout::ARENA_OFFSET + self.units * UNIT, &chunk);
        self.units += units;
    }

    /// Takes units that no chunk uses, as a runtime that died between two steps does.
    pub fn skip_units(&mut self, units: u64) {
        self.units += units;
    }

    /// The session file.
    pub fn build(&self) -> Sparse {
        let mut file = self.file.clone();
        let mut field = |offset: usize, bytes: &[u8]| file.write(offset as u64, bytes);
        field(offset_of!(Header, arena_next), &self.units.to_le_bytes());
        field(offset_of!(Header, arena_units), &self.units.to_le_bytes());
        field(
            offset_of!(Header, next_process),
            &(self.processes + 1).to_le_bytes(),
        );
        field(
            offset_of!(Header, next_thread),
            &(self.threads + 1).to_le_bytes(),
        );
        field(
            offset_of!(Header, next_object),
            &(self.objects + 1).to_le_bytes(),
        );
        file.extend_to(layout::ARENA_OFFSET + self.units * UNIT);
        file
    }
}

fn put_u32(bytes: &mut [u8], offset: usize, value: u32) {
    bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
}

fn put_u64(bytes: &mut [u8], offset: usize, value: u64) {
    bytes[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
}
