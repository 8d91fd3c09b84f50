//! Catchpoints: events of the kernel that stop a thread.

use super::Tracer;
use wayfarer_backend::{
    BreakpointId, Catch, InsertCatchpointRequest, StopReason, SyscallStop, ThreadId,
};

impl Tracer {
    pub(super) fn insert_catchpoint(&mut self, request: InsertCatchpointRequest) {
        let running = matches!(request.event, Catch::Syscalls(_));
        self.catchpoints.insert(request.id, request.event);
        if running {
            // Threads under way were not told to stop at system calls: a short stop tells them.
            for thread in self
                .threads
                .values()
                .filter(|thread| thread.can_be_stopped())
            {
                thread.interrupt();
            }
        }
    }

    /// The catchpoints that catch an event; `None` if there are none.
    pub(super) fn caught(&self, kind: impl Fn(&Catch) -> bool) -> Option<Vec<BreakpointId>> {
        let ids: Vec<BreakpointId> = self
            .catchpoints
            .iter()
            .filter(|(_, catchpoint)| kind(catchpoint))
            .map(|(id, _)| *id)
            .collect();
        (!ids.is_empty()).then_some(ids)
    }

    /// Whether threads must stop at system calls.
    pub(super) fn wants_system_calls(&self) -> bool {
        self.catchpoints
            .values()
            .any(|event| matches!(event, Catch::Syscalls(_)))
    }

    /// The thread enters or leaves a system call.
    pub(super) fn system_call_stop(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let entry = thread
            .handle()
            .and_then(|handle| handle.is_system_call_entry().ok())
            .unwrap_or(true);
        let Some(registers) = thread.registers() else {
            return;
        };
        let number = registers.0.orig_rax;
        let catch = self.caught(|event| match event {
            Catch::Syscalls(numbers) => {
                let mut calls = numbers.iter();
                numbers.is_empty() || calls.any(|call| u64::from(*call) == number)
            }
            _ => false,
        });
        match catch {
            Some(ids) => {
                let told = StopReason::Syscall(SyscallStop { ids, number, entry });
                self.stop_at(id, told, None);
            }
            None => self.go_on(id),
        }
    }
}
