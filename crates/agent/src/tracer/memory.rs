//! Memory and registers for the debugger.

use super::Tracer;
use super::process::Space;
use super::targets::of_process;
use crate::{convert, failure};
use wayfarer_backend::{
    Answer, Failure, FailureKind, MemoryContents, MemoryRange, MemoryWrite, ProcessId,
    ReadMemoryReply, ReadMemoryRequest, SnapshotReply, SnapshotRequest, Target, TargetResult,
    TargetResults, TargetSnapshot, ThreadId, ThreadSnapshot, WriteMemoryRequest,
    WriteRegistersRequest,
};

/// The most that one range may ask for.
const MOST_BYTES: u64 = 64 << 20;
/// Bytes below the stack pointer that belong to the function.
const RED_ZONE: u64 = 128;
const PAGE: u64 = 4096;

impl Tracer {
    pub(super) fn space_of_process(&self, id: ProcessId) -> Option<&Space> {
        self.spaces.get(&self.processes.get(&id)?.space)
    }

    pub(super) fn read_memory(&self, request: &ReadMemoryRequest) -> ReadMemoryReply {
        request.iter().map(|range| self.read_range(range)).collect()
    }

    fn read_range(&self, range: &MemoryRange) -> MemoryContents {
        let nothing = |failure| MemoryContents {
            data: Vec::new(),
            end: Some(failure),
        };
        let Some(space) = self.space_of_process(range.process) else {
            return nothing(failure::no_process(range.process));
        };
        if range.length > MOST_BYTES {
            let message = format!(
                "{} bytes are too many for one read; {MOST_BYTES} is the most",
                range.length
            );
            return nothing(Failure::new(FailureKind::Invalid, message));
        }
        let mut data = vec![0; range.length as usize];
        let done = space.read(range.address, &mut data);
        data.truncate(done);
        let end = (done < range.length as usize).then(|| {
            let address = range.address.wrapping_add(done as u64);
            let message = format!("cannot access memory at address {address:#x}");
            Failure::new(FailureKind::BadAddress, message)
        });
        MemoryContents { data, end }
    }

    pub(super) fn write_memory(&mut self, request: &WriteMemoryRequest) -> TargetResults {
        let results = request.iter().map(|write| {
            let outcome = self.write_piece(write);
            of_process(write.process, outcome)
        });
        TargetResults(results.collect())
    }

    fn write_piece(&mut self, write: &MemoryWrite) -> Answer<()> {
        let space = self
            .processes
            .get(&write.process)
            .and_then(|process| self.spaces.get_mut(&process.space))
            .ok_or_else(|| failure::no_process(write.process))?;
        let written = space.write(write.address, &write.data);
        space.list_again(write.address, write.data.len(), &mut self.traces);
        written.map_err(|error| failure::of(&error))
    }

    pub(super) fn write_registers(
        &mut self,
        request: &WriteRegistersRequest,
    ) -> Result<(), Failure> {
        let id = request.thread;
        let thread = self
            .threads
            .get_mut(&id)
            .ok_or_else(|| failure::no_thread(id))?;
        if !thread.is_stopped() {
            return Err(failure::running(id));
        }
        if let Some(general) = &request.general {
            let mut registers = convert::registers_of(general);
            if thread.pc().is_some_and(|pc| pc != registers.0.rip) {
                // A thread sent elsewhere is in no system call that the kernel could restart.
                registers.0.orig_rax = u64::MAX;
                thread.skip_at = None;
            }
            if let Some(signal) = request.back {
                thread.skip_at = Some(registers.0.rip);
                thread.signal = signal;
            }
            thread.set_registers(registers);
            // Written at once, so that what the kernel does not accept is told now.
            let handle = thread.handle().ok_or_else(|| failure::no_thread(id))?;
            handle
                .set_registers(&registers)
                .map_err(|error| failure::of(&error))?;
        }
        if let Some(vector) = &request.vector {
            let handle = thread.handle().ok_or_else(|| failure::no_thread(id))?;
            let mut state = handle.vector_state().map_err(|error| failure::of(&error))?;
            convert::change_vector(&mut state, vector);
            handle
                .set_vector_state(&state)
                .map_err(|error| failure::of(&error))?;
        }
        Ok(())
    }

    pub(super) fn snapshot(&mut self, request: &SnapshotRequest) -> SnapshotReply {
        let (ids, missing) = self.threads_of(&request.targets);
        let mut snapshots: SnapshotReply = missing
            .into_iter()
            .filter_map(|TargetResult { target, outcome }| {
                let outcome = Err(outcome.err()?);
                Some(TargetSnapshot { target, outcome })
            })
            .collect();
        for id in ids {
            snapshots.push(TargetSnapshot {
                target: Target::Thread(id),
                outcome: self.snapshot_of(id, request),
            });
        }
        snapshots
    }

    fn snapshot_of(&mut self, id: ThreadId, request: &SnapshotRequest) -> Answer<ThreadSnapshot> {
        let gone = || failure::no_thread(id);
        let events = self.events_of(id);
        let thread = self.threads.get_mut(&id).ok_or_else(gone)?;
        if !thread.is_stopped() {
            return Err(failure::running(id));
        }
        let general = thread.registers().ok_or_else(gone)?;
        let vector = request
            .vector
            .then(|| thread.handle()?.vector_state().ok())
            .flatten();
        let process = thread.process;
        // From the beginning of a page on, because the debugger remembers whole ones.
        let stack_address = general.0.rsp.wrapping_sub(RED_ZONE) / PAGE * PAGE;
        let wanted = u64::from(request.stack_bytes).min(MOST_BYTES);
        let mut stack = vec![0; wanted as usize];
        let done = self
            .space_of_process(process)
            .map_or(0, |space| space.read(stack_address, &mut stack));
        stack.truncate(done);
        Ok(ThreadSnapshot {
            process,
            thread: id,
            general: convert::general_of(&general),
            vector: vector.as_ref().map(convert::vector_of).map(Box::new),
            stack_address,
            stack,
            events,
        })
    }
}
