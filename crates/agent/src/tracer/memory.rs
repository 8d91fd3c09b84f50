//! Memory and registers for the debugger.

use super::Tracer;
use super::process::{ProcessId, Space};
use super::thread::ThreadId;
use crate::{convert, failure};
use wayfarer_protocol as wire;

/// The most that one range may ask for.
const MOST_BYTES: u64 = 64 << 20;
/// Bytes below the stack pointer that belong to the function.
const RED_ZONE: u64 = 128;
const PAGE: u64 = 4096;

impl Tracer {
    fn space_of_process(&self, id: u64) -> Option<&Space> {
        self.spaces.get(&self.processes.get(&ProcessId(id))?.space)
    }

    pub(super) fn read_memory(&self, request: &wire::ReadMemoryRequest) -> wire::ReadMemoryReply {
        let contents = request
            .ranges
            .iter()
            .map(|range| self.read_range(range))
            .collect();
        wire::ReadMemoryReply { contents }
    }

    fn read_range(&self, range: &wire::MemoryRange) -> wire::MemoryContents {
        let Some(space) = self.space_of_process(range.process) else {
            return wire::MemoryContents {
                data: Vec::new(),
                failure: Some(failure::no_process(range.process)),
            };
        };
        if range.length > MOST_BYTES {
            let message = format!(
                "{} bytes are too many for one read; {MOST_BYTES} is the most",
                range.length
            );
            return wire::MemoryContents {
                data: Vec::new(),
                failure: Some(wire::Failure::new(wire::FailureKind::Invalid, message)),
            };
        }
        let mut data = vec![0; range.length as usize];
        let done = space.read(range.address, &mut data);
        data.truncate(done);
        let failure = (done < range.length as usize).then(|| {
            let address = range.address.wrapping_add(done as u64);
            let message = format!("cannot access memory at address {address:#x}");
            wire::Failure::new(wire::FailureKind::BadAddress, message)
        });
        wire::MemoryContents { data, failure }
    }

    pub(super) fn write_memory(
        &mut self,
        request: &wire::WriteMemoryRequest,
    ) -> wire::TargetResults {
        let results = request
            .writes
            .iter()
            .map(|write| {
                let space = self
                    .processes
                    .get(&ProcessId(write.process))
                    .and_then(|process| self.spaces.get_mut(&process.space));
                let failure = match space {
                    None => Some(failure::no_process(write.process)),
                    Some(space) => {
                        let written = space.write(write.address, &write.data);
                        space.list_again(write.address, write.data.len(), &mut self.traces);
                        written.err().map(|error| failure::of(&error))
                    }
                };
                wire::TargetResult {
                    process: write.process,
                    thread: 0,
                    failure,
                }
            })
            .collect();
        wire::TargetResults { results }
    }

    fn registers_of(
        &mut self,
        id: ThreadId,
        vector: bool,
    ) -> (
        Option<wire::GeneralRegisters>,
        Option<wire::VectorRegisters>,
        Option<wire::Failure>,
    ) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return (None, None, Some(failure::no_thread(id.0)));
        };
        if !thread.is_stopped() {
            return (None, None, Some(failure::running(id.0)));
        }
        let Some(general) = thread.registers() else {
            return (None, None, Some(failure::no_thread(id.0)));
        };
        let vector = vector
            .then(|| {
                thread
                    .handle()
                    .and_then(|handle| handle.vector_state().ok())
            })
            .flatten();
        (
            Some(convert::general_to_wire(&general)),
            vector.as_ref().map(convert::vector_to_wire),
            None,
        )
    }

    pub(super) fn write_registers(
        &mut self,
        request: &wire::WriteRegistersRequest,
    ) -> Result<(), wire::Failure> {
        let id = ThreadId(request.thread);
        let thread = self
            .threads
            .get_mut(&id)
            .ok_or_else(|| failure::no_thread(id.0))?;
        if !thread.is_stopped() {
            return Err(failure::running(id.0));
        }
        if let Some(general) = &request.general {
            let mut registers = convert::general_from_wire(general);
            if thread.pc().is_some_and(|pc| pc != registers.0.rip) {
                // A thread sent elsewhere is in no system call that the kernel could restart.
                registers.0.orig_rax = u64::MAX;
                thread.skip_at = None;
            }
            if request.back {
                thread.skip_at = Some(registers.0.rip);
                thread.signal = request.signal.map(|signal| signal as i32);
            }
            thread.set_registers(registers);
            // Written at once, so that what the kernel does not accept is told now.
            let handle = thread.handle().ok_or_else(|| failure::no_thread(id.0))?;
            handle
                .set_registers(&registers)
                .map_err(|error| failure::of(&error))?;
        }
        if let Some(vector) = &request.vector {
            let handle = thread.handle().ok_or_else(|| failure::no_thread(id.0))?;
            let mut state = handle.vector_state().map_err(|error| failure::of(&error))?;
            convert::vector_from_wire(vector, &mut state);
            handle
                .set_vector_state(&state)
                .map_err(|error| failure::of(&error))?;
        }
        Ok(())
    }

    pub(super) fn snapshot(&mut self, request: &wire::SnapshotRequest) -> wire::SnapshotReply {
        let (ids, missing) = self.threads_of(request.targets.as_ref());
        let mut threads: Vec<wire::ThreadSnapshot> = missing
            .into_iter()
            .map(|result| wire::ThreadSnapshot {
                thread: result.thread,
                process: result.process,
                failure: result.failure,
                ..wire::ThreadSnapshot::default()
            })
            .collect();
        for id in ids {
            let (general, vector, failure) = self.registers_of(id, request.vector);
            let process = self.threads.get(&id).map_or(0, |thread| thread.process.0);
            let mut snapshot = wire::ThreadSnapshot {
                thread: id.0,
                process,
                general,
                vector,
                failure,
                ..wire::ThreadSnapshot::default()
            };
            if let (Some(general), Some(space)) = (&general, self.space_of_process(process)) {
                // From the beginning of a page on, because the debugger remembers whole ones.
                snapshot.stack_address = general.rsp.wrapping_sub(RED_ZONE) / PAGE * PAGE;
                let wanted = u64::from(request.stack_bytes).min(MOST_BYTES);
                let mut stack = vec![0; wanted as usize];
                let done = space.read(snapshot.stack_address, &mut stack);
                stack.truncate(done);
                snapshot.stack = stack;
            }
            threads.push(snapshot);
        }
        wire::SnapshotReply { threads }
    }
}
