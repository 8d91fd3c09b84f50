//! The back ends of a session. Each has an id of its own, because the ids that it gives are unique in it only.

use std::collections::BTreeMap;
use std::sync::Arc;

use wayfarer_backend::{AgentId, Backend};

use crate::agent::AgentProcess;

/// One back end, and the process of ours that it runs in, if we started one.
struct Held {
    backend: Arc<dyn Backend>,
    agent: Option<AgentProcess>,
}

/// All back ends that are there.
#[derive(Default)]
pub(crate) struct Backends {
    held: BTreeMap<AgentId, Held>,
    /// Ids are not given twice: late news of one that is gone must not be taken for another's.
    given: u32,
}

impl Backends {
    /// The id of the next one.
    pub fn give_id(&mut self) -> AgentId {
        let id = AgentId(self.given);
        self.given += 1;
        id
    }

    pub fn add(&mut self, id: AgentId, backend: Arc<dyn Backend>, agent: Option<AgentProcess>) {
        self.held.insert(id, Held { backend, agent });
    }

    pub fn get(&self, id: AgentId) -> Option<Arc<dyn Backend>> {
        self.held.get(&id).map(|held| held.backend.clone())
    }

    /// All of them, in the order in which they came.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn Backend>> {
        self.held.values().map(|held| &held.backend)
    }

    /// The first that can take processes in.
    pub fn launching(&self) -> Option<AgentId> {
        let mut those = self.held.iter();
        let found = those.find(|(_, held)| held.backend.launches().is_some());
        found.map(|(id, _)| *id)
    }

    /// Forgets one that has gone; whether it was there.
    pub fn forget(&mut self, id: AgentId) -> bool {
        self.held.remove(&id).is_some()
    }

    /// Ends all of them.
    pub fn close(&mut self) {
        for Held { backend, agent } in std::mem::take(&mut self.held).into_values() {
            // The end of the session is the end of the agent, which is waited for.
            backend.close();
            drop(backend);
            drop(agent);
        }
    }
}
