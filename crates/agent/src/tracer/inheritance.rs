//! What a child of fork gets from its parent, and what a process keeps when it runs a new program.

use super::Tracer;
use super::process::{Inserted, Owner, Protection, Space, SpaceId};
use super::thread::{Activity, Holds};
use super::watch::Watched;
use std::collections::BTreeMap;
use wayfarer_backend::{ProcessId, ThreadId};
use wayfarer_ptrace::Tid;

impl Tracer {
    /// Gives a child the breakpoints of its parent. A fork has copied their bytes already; those of no use to the
    /// child are taken out of it.
    pub(super) fn inherit_breakpoints(
        &mut self,
        parent: ProcessId,
        child: ProcessId,
        parent_space: SpaceId,
        shared: bool,
    ) {
        for breakpoint in self.breakpoints.values_mut() {
            breakpoint.inherit(parent, child);
        }
        let registers = self
            .processes
            .get(&parent)
            .map(|parent| parent.watched.inherited());
        if let (Some(child), Some(registers)) = (self.processes.get_mut(&child), registers) {
            child.watched = registers;
        }
        let heir = |owner: &Owner| match owner {
            Owner::Breakpoint(process, id) if *process == parent => {
                Some(Owner::Breakpoint(child, *id))
            }
            Owner::Libraries(process) if *process == parent => Some(Owner::Libraries(child)),
            _ => None,
        };
        let Some(child_process) = self.processes.get(&child) else {
            return;
        };
        let child_space = child_process.space;
        let pid = child_process.pid;
        let Some(parent_space) = self.spaces.get_mut(&parent_space) else {
            return;
        };
        if shared {
            for inserted in parent_space.inserted.values_mut() {
                let heirs: Vec<Owner> = inserted.owners.iter().filter_map(heir).collect();
                inserted.owners.extend(heirs);
            }
            return;
        }
        let copied: BTreeMap<u64, Inserted> = parent_space.inserted.clone();
        let slots = parent_space.slots.clone();
        let cushion = parent_space.cushion.clone();
        let stepping = parent_space.exclusive.filter(|step| step.under_way);
        let Some(space) = self.spaces.get_mut(&child_space) else {
            return;
        };
        slots.scrub(&space.memory);
        space.cushion = cushion;
        if let Protection::Laid(cushion) = &space.cushion {
            self.traces.cushioned(pid, cushion.base());
        }
        for (address, inserted) in copied {
            let owners: Vec<Owner> = inserted.owners.iter().filter_map(heir).collect();
            let missing = stepping.is_some_and(|step| step.address == address);
            if owners.is_empty() {
                let _ = space.memory.write(address, &[inserted.original]);
                if let Protection::Laid(cushion) = &mut space.cushion {
                    cushion.breakpoint_removed(&space.memory, address);
                }
                continue;
            }
            if space.guarded {
                self.traces
                    .breakpoint_placed(pid, address, inserted.original);
            }
            if missing && !inserted.answered {
                let _ = space.memory.write(address, &[super::process::BREAKPOINT]);
            }
            space
                .inserted
                .insert(address, Inserted { owners, ..inserted });
        }
    }

    /// The process runs a new program, in the thread that had the number `former`.
    pub(super) fn executed(&mut self, tid: Tid, former: Tid) {
        // All other threads are gone; the one that asked for it has the number of the process now.
        let Some(survivor) = self
            .tids
            .get(&former)
            .or_else(|| self.tids.get(&tid))
            .copied()
        else {
            return;
        };
        let Some(process) = self.threads.get(&survivor).map(|thread| thread.process) else {
            return;
        };
        let others: Vec<ThreadId> = self.processes.get(&process).map_or(Vec::new(), |process| {
            process
                .threads
                .iter()
                .copied()
                .filter(|thread| *thread != survivor)
                .collect()
        });
        self.tids.remove(&former);
        self.tids.insert(tid, survivor);
        for other in others {
            self.forget_thread(other, true);
        }
        self.tids.insert(tid, survivor);
        if let Some(thread) = self.threads.get_mut(&survivor) {
            thread.tid = tid;
            thread.activity = Activity::Continue;
            thread.skip_at = None;
            thread.displaced = None;
            thread.watch_edition = 0;
            thread.holds = Holds::default();
        }
        self.renew_space(process, tid);
        self.follow_libraries(process);
        self.barriers_changed();
    }

    /// Drops all that we knew of the old program's memory.
    fn renew_space(&mut self, process: ProcessId, pid: Tid) {
        for breakpoint in self.breakpoints.values_mut() {
            breakpoint.drop_process(process);
        }
        self.leave_space(process, true);
        let guarded = self
            .processes
            .get(&process)
            .is_some_and(|process| !process.launched);
        self.traces.forget(pid);
        let id = SpaceId(self.fresh_id());
        if let Ok(space) = Space::open(pid, guarded) {
            self.spaces.insert(id, space);
        }
        if let Some(process) = self.processes.get_mut(&process) {
            process.space = id;
            process.shares_memory = false;
            process.linker = None;
            process.watched = Watched::default();
        }
    }
}
