//! Barriers: who arrives is held until all members have, then one stop is told for all.

use super::Tracer;
use super::breakpoints::Breakpoint;
use wayfarer_backend::{
    BarrierArrived, BarrierComplete, BreakpointId, EventKind, ProcessId, StopReason, ThreadId,
};

impl Tracer {
    /// The thread has come to the barrier and waits there.
    pub(super) fn arrive(&mut self, id: ThreadId, barrier_id: BreakpointId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        thread.holds.barrier = Some(barrier_id);
        let process = thread.process;
        let Some(barrier) = self.breakpoint(barrier_id).and_then(|b| b.barrier.as_mut()) else {
            return;
        };
        barrier.arrived.insert(id);
        let arrived = barrier.arrived.len();
        let breakpoint = &self.breakpoints[&barrier_id];
        let (processes, threads) = self.missing(breakpoint);
        let missing = processes.len() + threads.len();
        self.tell(EventKind::BarrierArrived(BarrierArrived {
            id: barrier_id,
            process,
            thread: id,
            arrived: arrived as u32,
            expected: (arrived + missing) as u32,
        }));
        if missing == 0 {
            self.complete(barrier_id, id);
        }
    }

    /// Members that live and have not arrived.
    pub(super) fn missing(&self, breakpoint: &Breakpoint) -> (Vec<ProcessId>, Vec<ThreadId>) {
        let Some(barrier) = &breakpoint.barrier else {
            return (Vec::new(), Vec::new());
        };
        let here = |process: &ProcessId| {
            barrier
                .arrived
                .iter()
                .filter_map(|thread| self.threads.get(thread))
                .any(|thread| thread.process == *process)
        };
        let processes = barrier
            .processes
            .iter()
            .filter(|process| self.processes.contains_key(process) && !here(process))
            .copied()
            .collect();
        let threads = barrier
            .threads
            .iter()
            .filter(|thread| self.threads.contains_key(thread) && !barrier.arrived.contains(thread))
            .copied()
            .collect();
        (processes, threads)
    }

    /// Somebody is gone: a barrier may be complete without it.
    pub(super) fn barriers_changed(&mut self) {
        let complete: Vec<(BreakpointId, ThreadId)> = self
            .breakpoints
            .iter()
            .filter_map(|(id, breakpoint)| {
                let barrier = breakpoint.barrier.as_ref()?;
                let last = barrier
                    .arrived
                    .iter()
                    .rev()
                    .find(|thread| self.threads.contains_key(thread))?;
                let (processes, threads) = self.missing(breakpoint);
                (processes.is_empty() && threads.is_empty()).then_some((*id, *last))
            })
            .collect();
        for (id, last) in complete {
            self.complete(id, last);
        }
    }

    /// All have arrived.
    fn complete(&mut self, barrier_id: BreakpointId, last: ThreadId) {
        let Some(breakpoint) = self.breakpoints.get_mut(&barrier_id) else {
            return;
        };
        let scope = breakpoint.scope;
        let arrived = match &mut breakpoint.barrier {
            Some(barrier) => std::mem::take(&mut barrier.arrived),
            None => return,
        };
        for thread in &arrived {
            if let Some(thread) = self.threads.get_mut(thread) {
                thread.holds.barrier = None;
            }
        }
        let told = StopReason::Barrier(BarrierComplete {
            id: barrier_id,
            threads: arrived.into_iter().collect(),
        });
        self.stop_at(last, told, scope);
    }

    /// The barrier is gone: the thread need not wait any more.
    pub(super) fn leave_barrier(&mut self, id: ThreadId) {
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.holds.barrier = None;
        }
        self.go_on(id);
    }
}
