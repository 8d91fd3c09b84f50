//! Threads and processes that end: an event each, and nothing of them stays.

use super::Tracer;
use super::process::Owner;
use super::thread::Activity;
use wayfarer_backend::{EventKind, ProcessEnd, ProcessExited, ProcessId, ThreadId};
use wayfarer_ptrace::{End, Tid};

impl Tracer {
    /// The kernel says that a thread, or with its first thread a process, has ended.
    pub(super) fn ended(&mut self, tid: Tid, end: End) {
        self.early.remove(&tid);
        if self.starting.contains_key(&tid) {
            self.launch_ended(tid);
            return;
        }
        let process = self
            .processes
            .values()
            .find(|process| process.pid == tid)
            .map(|process| process.id);
        match process {
            Some(process) => self.process_ended(process, end),
            None => {
                if let Some(thread) = self.tids.get(&tid).copied() {
                    self.forget_thread(thread, true);
                }
            }
        }
    }

    fn process_ended(&mut self, id: ProcessId, end: End) {
        let Some(pid) = self.processes.get(&id).map(|process| process.pid) else {
            return;
        };
        let leaving = self.processes[&id].leaving;
        let last = self.processes.len() == 1;
        self.replayed_process_ended(pid, end, last);
        self.forget_process(id);
        if leaving {
            return;
        }
        let end = match end {
            End::Status(status) => ProcessEnd::Exited(status),
            End::Signal {
                signal,
                core_dumped,
            } => ProcessEnd::Killed {
                signal,
                core_dumped,
            },
        };
        self.tell(EventKind::ProcessExited(ProcessExited {
            process: id,
            pid: pid.0,
            end,
        }));
    }

    /// Drops all that is known of a process.
    pub(super) fn forget_process(&mut self, id: ProcessId) {
        let threads = self
            .processes
            .get(&id)
            .map(|process| process.threads.clone());
        for thread in threads.unwrap_or_default() {
            self.forget_thread(thread, false);
        }
        for breakpoint in self.breakpoints.values_mut() {
            breakpoint.drop_process(id);
        }
        self.leave_space(id, false);
        if let Some(process) = self.processes.remove(&id) {
            self.traces.forget(process.pid);
        }
        self.barriers_changed();
    }

    /// Takes the process's breakpoints out of its memory, or drops the memory if nobody else lives in it.
    pub(super) fn leave_space(&mut self, id: ProcessId, executed: bool) {
        let Some(space_id) = self.processes.get(&id).map(|process| process.space) else {
            return;
        };
        let shared = self
            .processes
            .values()
            .any(|process| process.id != id && process.space == space_id);
        if !shared {
            self.spaces.remove(&space_id);
            return;
        }
        let owners: Vec<(u64, Owner)> = self.spaces.get(&space_id).map_or(Vec::new(), |space| {
            let mine = |owner: &Owner| match owner {
                Owner::Breakpoint(process, _) | Owner::Libraries(process) => *process == id,
                Owner::Goal(thread) => {
                    executed
                        && self
                            .threads
                            .get(thread)
                            .is_some_and(|thread| thread.process == id)
                }
            };
            space
                .inserted
                .iter()
                .flat_map(|(address, inserted)| {
                    inserted.owners.iter().map(|owner| (*address, *owner))
                })
                .filter(|(_, owner)| mine(owner))
                .collect()
        });
        for (address, owner) in owners {
            self.release_address(space_id, address, owner);
        }
    }

    /// Drops all that is known of a thread.
    pub(super) fn forget_thread(&mut self, id: ThreadId, tell: bool) {
        self.drop_goal(id);
        self.abandon_step(id);
        let Some(thread) = self.threads.remove(&id) else {
            return;
        };
        if self.tids.get(&thread.tid) == Some(&id) {
            self.tids.remove(&thread.tid);
        }
        if let Some(process) = self.processes.get_mut(&thread.process) {
            process.threads.retain(|other| *other != id);
        }
        self.traces.returned(thread.tid);
        if let Activity::Call(call) = thread.activity {
            self.call_died(*call);
        }
        if tell {
            self.tell(EventKind::ThreadExited {
                process: thread.process,
                thread: id,
            });
        }
        self.settled(id);
        self.barriers_changed();
    }
}
