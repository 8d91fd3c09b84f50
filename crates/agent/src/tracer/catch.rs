//! Catchpoints: events of the kernel that stop a thread.

use super::Tracer;
use super::events::reason;
use super::thread::ThreadId;
use wayfarer_protocol as wire;
use wire::insert_catchpoint_request::Event;
use wire::stop_reason::Reason;

/// What is caught.
pub type Catchpoint = Event;

impl Tracer {
    pub(super) fn insert_catchpoint(
        &mut self,
        request: wire::InsertCatchpointRequest,
    ) -> Result<(), wire::Failure> {
        let event = request.event.ok_or_else(|| {
            let message = format!("catchpoint {} catches nothing", request.id);
            wire::Failure::new(wire::FailureKind::Invalid, message)
        })?;
        let running = matches!(event, Event::Syscalls(_));
        self.catchpoints.insert(request.id, event);
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
        Ok(())
    }

    /// The catchpoints that catch an event; `None` if there are none.
    pub(super) fn caught(&self, kind: impl Fn(&Catchpoint) -> bool) -> Option<Vec<u64>> {
        let ids: Vec<u64> = self
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
            .any(|event| matches!(event, Event::Syscalls(_)))
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
            Event::Syscalls(set) => {
                let mut calls = set.numbers.iter();
                set.numbers.is_empty() || calls.any(|call| u64::from(*call) == number)
            }
            _ => false,
        });
        match catch {
            Some(ids) => {
                let told = Reason::Syscall(wire::SyscallStop { ids, number, entry });
                self.stop_at(id, reason(told), wire::StopScope::Unspecified);
            }
            None => self.go_on(id),
        }
    }
}
