//! Catchpoints: events of the kernel that stop a thread.

use super::Tracer;
use super::events::reason;
use super::thread::ThreadId;
use std::collections::BTreeSet;
use wayfarer_protocol as wire;
use wire::stop_reason::Reason;

/// What is caught, and in whom.
pub struct Catchpoint {
    targets: Option<wire::Targets>,
    temporary: bool,
    /// fork, and clone that makes a process
    pub fork: bool,
    /// vfork and posix_spawn
    pub vfork: bool,
    /// exec
    pub exec: bool,
    /// the end of a process
    pub exit: bool,
    /// a new thread
    pub thread_created: bool,
    /// libraries loaded or unloaded
    pub libraries: bool,
    /// System calls; empty: all.
    system_calls: Option<BTreeSet<u64>>,
}

impl Tracer {
    pub(super) fn insert_catchpoint(&mut self, request: wire::InsertCatchpointRequest) {
        let catchpoint = Catchpoint {
            targets: request.targets,
            temporary: request.temporary,
            fork: request.fork,
            vfork: request.vfork,
            exec: request.exec,
            exit: request.exit,
            thread_created: request.thread_created,
            libraries: request.libraries,
            system_calls: request.syscalls.map(|calls| {
                calls
                    .numbers
                    .iter()
                    .map(|number| u64::from(*number))
                    .collect()
            }),
        };
        let running = catchpoint.system_calls.is_some();
        self.catchpoints.insert(request.id, catchpoint);
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

    /// The catchpoints that catch an event of the thread; `None` if there are none. Temporary ones are used up.
    pub(super) fn caught(
        &mut self,
        id: ThreadId,
        kind: impl Fn(&Catchpoint) -> bool,
    ) -> Option<Vec<u64>> {
        let process = self.threads.get(&id)?.process;
        let ids: Vec<u64> = self
            .catchpoints
            .iter()
            .filter(|(_, catchpoint)| kind(catchpoint))
            .filter(|(_, catchpoint)| {
                catchpoint.targets.as_ref().is_none_or(|targets| {
                    targets.all
                        || targets.processes.contains(&process.0)
                        || targets.threads.contains(&id.0)
                })
            })
            .map(|(id, _)| *id)
            .collect();
        for id in &ids {
            if self
                .catchpoints
                .get(id)
                .is_some_and(|catchpoint| catchpoint.temporary)
            {
                self.catchpoints.remove(id);
                self.spent.push(*id);
            }
        }
        (!ids.is_empty()).then_some(ids)
    }

    /// Whether the thread must stop at system calls.
    pub(super) fn wants_system_calls(&self, id: ThreadId) -> bool {
        if self.catchpoints.is_empty() {
            return false;
        }
        let process = self.threads.get(&id).map_or(0, |thread| thread.process.0);
        self.catchpoints.values().any(|catchpoint| {
            catchpoint.system_calls.is_some()
                && catchpoint.targets.as_ref().is_none_or(|targets| {
                    targets.all
                        || targets.processes.contains(&process)
                        || targets.threads.contains(&id.0)
                })
        })
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
        let catch = self.caught(id, |catchpoint| {
            catchpoint
                .system_calls
                .as_ref()
                .is_some_and(|calls| calls.is_empty() || calls.contains(&number))
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
