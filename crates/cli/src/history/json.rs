//! Histories as one JSON object.

use serde_json::{Value, json};
use wayfarer_model::ThreadId;
use wayfarer_replay::sync_words::{kind_name, object_name, side_letter};
use wayfarer_replay::words::{process_name, thread_name};
use wayfarer_trace::{History, SyncObject};

use super::contention::{Waited, hottest, longest_waits};
use super::view::{View, all_owners, owners};

impl View<'_> {
    pub(super) fn json(&mut self, history: &History) -> Value {
        let objects: Vec<Value> = history
            .objects
            .iter()
            .map(|object| self.object_json(object))
            .collect();
        let threads: Vec<Value> = all_owners(history)
            .into_iter()
            .map(|id| self.thread_json(id))
            .collect();
        let most = self.limits.hottest;
        let hottest: Vec<String> = hottest(history, most)
            .iter()
            .map(|object| object_name(object.kind, object.id))
            .collect();
        let waits: Vec<Value> = longest_waits(history, most, |_| true)
            .iter()
            .map(|waited| self.wait_json(waited))
            .collect();
        json!({
            "objects": objects,
            "threads": threads,
            "hottest": hottest,
            "longest_waits": waits,
        })
    }

    fn thread_json(&mut self, id: ThreadId) -> Value {
        let (process, thread) = self.thread(id);
        json!({
            "process": process.0,
            "thread": thread,
            "name": thread_name(self.trace, id),
            "routine": self.routine(id),
            "tid": self.trace.thread(id).map(|row| row.tid),
        })
    }

    fn wait_json(&mut self, waited: &Waited<'_>) -> Value {
        let object = waited.object;
        let (process, thread) = self.thread(waited.wait.thread);
        let holder = waited.holder.map(|holder| self.thread(holder));
        json!({
            "object": object_name(object.kind, object.id),
            "kind": kind_name(object.kind),
            "run": (waited.wait.run != 0).then_some(waited.wait.run),
            "position": waited.position,
            "process": process.0,
            "thread": thread,
            "nanoseconds": waited.wait.nanoseconds,
            "holder_process": holder.map(|(process, _)| process.0),
            "holder_thread": holder.map(|(_, thread)| thread),
        })
    }

    fn object_json(&mut self, object: &SyncObject) -> Value {
        let left_out = self.limits.left_out(object.runs.len());
        let mut position = 0u64;
        let mut runs = Vec::new();
        for (index, run) in object.runs.iter().enumerate() {
            if !left_out.contains(&index) {
                let (process, thread) = self.thread(run.thread);
                let posts = object.posts().filter(|_| run.length != 0);
                runs.push(json!({
                    "run": run.number,
                    "position": position,
                    "process": process.0,
                    "thread": thread,
                    "side": side_letter(run.side),
                    "accesses": (run.length != 0).then_some(run.length),
                    "posts": posts.map(|_| run.posts),
                }));
            }
            position = position.saturating_add(run.length);
        }
        json!({
            "name": object_name(object.kind, object.id),
            "id": object.id,
            "kind": kind_name(object.kind),
            "process": process_name(self.trace, object.process),
            "process_id": object.process.0,
            "address": object.address,
            "variable": self.variable(object),
            "made": self.place(object),
            "accesses": object.accesses(),
            "posts": object.posts(),
            "members": (object.members != 0).then_some(object.members),
            "rounds": object.rounds(),
            "runs_count": object.runs.len(),
            "hand_overs": object.hand_overs(),
            "owners": owners(object).len(),
            "longest_run": object.longest_run().map(|run| run.length),
            "waits": object.waits.len(),
            "waited_ns": object.waited_ns(),
            "longest_wait_ns": object.longest_wait().map(|wait| wait.nanoseconds),
            "runs_left_out": left_out.len(),
            "runs": runs,
        })
    }
}
