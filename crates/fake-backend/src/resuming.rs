//! Threads of the invented world that go on. None moves by itself: what it comes to is the script's
//! affair.

use std::collections::BTreeSet;

use wayfarer_backend::{
    EventKind, ResumeRequest, Stopped, TargetResults, Targets, ThreadId, ThreadStop,
};

use crate::world::World;

impl World {
    pub(crate) fn resume(&mut self, request: &ResumeRequest) -> TargetResults {
        let mut chosen = BTreeSet::new();
        let mut gone = Vec::new();
        for action in request {
            let (threads, missing) = self.meant(&action.targets);
            chosen.extend(threads);
            gone.extend(missing);
        }
        let stands = |id: &ThreadId| !self.goes(*id);
        let chosen: Vec<ThreadId> = chosen.into_iter().filter(stands).collect();
        if !self.tell_pending(&chosen) {
            for thread in &chosen {
                self.set_goes(*thread, true);
            }
            self.happened.push(EventKind::Resumed(chosen));
        }
        World::missing_of(gone)
    }

    /// Tells what happened to one of these while it stood, as a stop of all of them; false if
    /// nothing did.
    fn tell_pending(&mut self, threads: &[ThreadId]) -> bool {
        for id in threads {
            let Some(thread) = self.threads.get_mut(id) else {
                continue;
            };
            let Some(reason) = thread.pending.take() else {
                continue;
            };
            thread.described.reason = Some(reason.clone());
            let cause = ThreadStop {
                events: None,
                process: thread.described.process,
                thread: *id,
                reason,
                registers: Some(thread.general),
            };
            self.happened.push(EventKind::Stopped(Stopped {
                causes: vec![cause],
                stopped: threads.to_vec(),
                first_to_last_ns: 0,
            }));
            return true;
        }
        false
    }

    /// Lets those go on that wait after an exec or a change of libraries.
    pub(crate) fn release(&mut self, targets: &Targets) -> TargetResults {
        let (threads, missing) = self.meant(targets);
        for thread in threads {
            if let Some(thread) = self.threads.get_mut(&thread) {
                thread.waits = false;
            }
        }
        World::missing_of(missing)
    }
}
