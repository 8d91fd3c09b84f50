//! Watchpoints: in the debug registers of all threads of a process, which `hardware.rs` shares with breakpoints.

use super::Tracer;
use super::process::{Process, Space};
use super::targets::of_process;
use crate::failure;
use std::collections::{BTreeMap, BTreeSet};
use wayfarer_backend::{
    BreakpointId, Failure, FailureKind, Hits, InsertWatchpointRequest, ProcessId, StopScope,
    TargetResults, Targets, ThreadId, WatchKind, WatchReport, WatchpointHit,
};
use wayfarer_predicate::{Program, Target, holds};
use wayfarer_ptrace::debug_registers::{SLOTS, cover};
use wayfarer_ptrace::{Registers, Watch, WatchCondition};

/// One watchpoint in one process.
struct Spot {
    address: u64,
    kind: WatchKind,
    predicate: Option<Program>,
    ignore: u64,
    threads: BTreeSet<ThreadId>,
    scope: Option<StopScope>,
    /// Times that it was hit, the ignored ones included.
    hits: u64,
    /// What was there last.
    value: Vec<u8>,
}

/// The debug registers of a process, and what they are for.
#[derive(Default)]
pub struct Watched {
    pub(super) slots: [Option<(BreakpointId, Watch)>; SLOTS],
    spots: BTreeMap<BreakpointId, Spot>,
    /// Changes with every change.
    pub edition: u64,
}

impl Watched {
    /// Whether there are any.
    pub fn any(&self) -> bool {
        !self.spots.is_empty()
    }

    /// Whether a debug register is in use, for a watchpoint or a breakpoint.
    pub fn armed(&self) -> bool {
        self.slots.iter().any(Option::is_some)
    }

    /// Whether the watchpoint is still here.
    pub fn knows(&self, id: BreakpointId) -> bool {
        self.spots.contains_key(&id)
    }

    /// How often each was hit, and how many hits it still passes over.
    pub fn hits(&self) -> impl Iterator<Item = Hits> + '_ {
        self.spots.iter().map(|(id, spot)| Hits {
            id: *id,
            hits: spot.hits,
            evaluations: spot.hits,
            ignore_left: spot.ignore,
        })
    }

    pub(super) fn registers(&self) -> [Option<Watch>; SLOTS] {
        self.slots.map(|slot| slot.map(|(_, watch)| watch))
    }

    fn remove(&mut self, id: BreakpointId) -> bool {
        for slot in &mut self.slots {
            if slot.is_some_and(|(owner, _)| owner == id) {
                *slot = None;
            }
        }
        self.edition += 1;
        self.spots.remove(&id).is_some()
    }
}

struct Scene<'a> {
    registers: Registers,
    space: &'a Space,
}

impl Target for Scene<'_> {
    fn register(&mut self, number: u16) -> Option<u64> {
        self.registers.by_dwarf(number)
    }

    fn read(&mut self, address: u64, buffer: &mut [u8]) -> bool {
        self.space.read(address, buffer) == buffer.len()
    }
}

impl Tracer {
    pub(super) fn insert_watchpoint(&mut self, request: &InsertWatchpointRequest) -> TargetResults {
        let (processes, mut results) = self.processes_of(&request.targets);
        for process in processes {
            results.push(of_process(process, self.watch(process, request)));
        }
        TargetResults(results)
    }

    fn watch(&mut self, id: ProcessId, request: &InsertWatchpointRequest) -> Result<(), Failure> {
        let hardware = |message: String| Failure::new(FailureKind::NoHardware, message);
        let condition = match request.kind {
            WatchKind::Read | WatchKind::Access => WatchCondition::Access,
            WatchKind::Write => WatchCondition::Write,
        };
        let predicate = match request.predicate.as_deref() {
            None => None,
            Some(bytes) => Some(Program::from_bytes(bytes).map_err(|error| {
                let message = format!(
                    "the condition of watchpoint {} is damaged: {error}",
                    request.id
                );
                Failure::new(FailureKind::Invalid, message)
            })?),
        };
        let pieces = cover(request.address, u64::from(request.length), condition).ok_or_else(|| {
            hardware(format!(
                "{} bytes at {:#x} do not fit the {SLOTS} debug registers: watch a part of them",
                request.length, request.address
            ))
        })?;
        let process = self
            .processes
            .get_mut(&id)
            .ok_or_else(|| failure::no_process(id))?;
        let space = self
            .spaces
            .get(&process.space)
            .ok_or_else(|| failure::no_process(id))?;
        let mut value = vec![0; request.length as usize];
        space
            .memory
            .read(request.address, &mut value)
            .map_err(|error| failure::of(&error))?;
        process.watched.remove(request.id);
        let mut free: Vec<usize> = (0..SLOTS)
            .filter(|slot| process.watched.slots[*slot].is_none())
            .collect();
        if free.len() < pieces.len() {
            return Err(hardware(format!(
                "process {id} has {} free debug registers and this watchpoint needs {}: delete another first",
                free.len(),
                pieces.len()
            )));
        }
        for piece in pieces {
            process.watched.slots[free.remove(0)] = Some((request.id, piece));
        }
        let spot = Spot {
            address: request.address,
            kind: request.kind,
            predicate,
            ignore: request.ignore_count,
            threads: request.threads.iter().copied().collect(),
            scope: request.scope,
            hits: 0,
            value,
        };
        process.watched.spots.insert(request.id, spot);
        self.watches_changed(id);
        Ok(())
    }

    pub(super) fn remove_watchpoint(&mut self, id: BreakpointId, targets: Option<&Targets>) {
        let processes = match targets {
            Some(targets) => self.processes_of(targets).0,
            None => self.processes.keys().copied().collect(),
        };
        for process in processes {
            let removed = self
                .processes
                .get_mut(&process)
                .is_some_and(|process| process.watched.remove(id));
            if removed {
                self.watches_changed(process);
            }
        }
    }

    /// Brings the debug registers of all threads up to date: now, or when they have stopped for a moment.
    pub(super) fn watches_changed(&mut self, id: ProcessId) {
        let Some(process) = self.processes.get(&id) else {
            return;
        };
        if !process.launched {
            self.traces.watched(process.pid, process.watched.armed());
        }
        for thread in process.threads.clone() {
            self.refresh_watches(thread);
            if let Some(thread) = self
                .threads
                .get(&thread)
                .filter(|thread| thread.can_be_stopped())
            {
                thread.interrupt();
            }
        }
    }

    /// Brings the debug registers of a stopped thread up to date.
    pub(super) fn refresh_watches(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let Some(process) = self.processes.get(&thread.process) else {
            return;
        };
        let edition = process.watched.edition;
        if thread.watch_edition != edition && !process.launched && process.watched.armed() {
            self.traces.watched(process.pid, true);
        }
        if thread.watch_edition != edition
            && let Some(handle) = thread.handle()
            && handle.set_watches(&process.watched.registers()).is_ok()
        {
            thread.watch_edition = edition;
        }
    }

    /// The watchpoints that a trap of the thread is due to, as far as they stop it.
    pub(super) fn watches_triggered(
        &mut self,
        id: ThreadId,
    ) -> Option<(WatchpointHit, Option<StopScope>)> {
        let thread = self.threads.get_mut(&id)?;
        let process = self.processes.get_mut(&thread.process)?;
        if !process.watched.armed() {
            return None;
        }
        let triggered = thread.handle()?.take_triggered().ok()?;
        let registers = thread.registers()?;
        let space = self.spaces.get(&process.space)?;
        let ids: BTreeSet<BreakpointId> = triggered
            .iter()
            .zip(&process.watched.slots)
            .filter_map(|(hit, slot)| (*hit).then_some((*slot)?.0))
            .collect();
        let mut scope = None;
        let watches: Vec<WatchReport> = ids
            .into_iter()
            .filter_map(|watch| report_of(process, watch, id, &registers, space, &mut scope))
            .collect();
        (!watches.is_empty()).then_some((WatchpointHit { watches }, scope))
    }
}

fn report_of(
    process: &mut Process,
    id: BreakpointId,
    thread: ThreadId,
    registers: &Registers,
    space: &Space,
    scope: &mut Option<StopScope>,
) -> Option<WatchReport> {
    let spot = process.watched.spots.get_mut(&id)?;
    let mut new = vec![0; spot.value.len()];
    space.memory.read(spot.address, &mut new).ok()?;
    let old = std::mem::replace(&mut spot.value, new.clone());
    let changed = old != new;
    let counts = match spot.kind {
        WatchKind::Read => !changed,
        WatchKind::Access => true,
        WatchKind::Write => changed,
    };
    if !counts || !spot.threads.is_empty() && !spot.threads.contains(&thread) {
        return None;
    }
    if let Some(predicate) = &spot.predicate {
        let mut scene = Scene {
            registers: *registers,
            space,
        };
        if holds(predicate, &mut scene) == Ok(false) {
            return None;
        }
    }
    spot.hits += 1;
    if spot.ignore > 0 {
        spot.ignore -= 1;
        return None;
    }
    *scope = (*scope).max(spot.scope);
    Some(WatchReport {
        id,
        address: spot.address,
        old,
        new,
    })
}
