//! Snapshots of threads.

use wayfarer_backend as plain;

use super::registers::{boxed, unboxed};
use super::targets::{target_numbers, target_of};
use super::{Damaged, all, list, needed};
use crate as wire;

impl From<plain::SnapshotRequest> for wire::SnapshotRequest {
    fn from(request: plain::SnapshotRequest) -> wire::SnapshotRequest {
        wire::SnapshotRequest {
            session: 0,
            targets: Some(request.targets.into()),
            stack_bytes: request.stack_bytes,
            vector: request.vector,
        }
    }
}

impl TryFrom<wire::SnapshotRequest> for plain::SnapshotRequest {
    type Error = Damaged;

    fn try_from(request: wire::SnapshotRequest) -> Result<plain::SnapshotRequest, Damaged> {
        Ok(plain::SnapshotRequest {
            targets: needed(request.targets, "targets")?,
            stack_bytes: request.stack_bytes,
            vector: request.vector,
        })
    }
}

impl From<plain::SnapshotReply> for wire::SnapshotReply {
    fn from(snapshots: plain::SnapshotReply) -> wire::SnapshotReply {
        wire::SnapshotReply {
            threads: list(snapshots),
        }
    }
}

impl TryFrom<wire::SnapshotReply> for plain::SnapshotReply {
    type Error = Damaged;

    fn try_from(reply: wire::SnapshotReply) -> Result<plain::SnapshotReply, Damaged> {
        all(reply.threads)
    }
}

impl From<plain::TargetSnapshot> for wire::ThreadSnapshot {
    fn from(snapshot: plain::TargetSnapshot) -> wire::ThreadSnapshot {
        let (process, thread) = target_numbers(snapshot.target);
        match snapshot.outcome {
            Ok(found) => wire::ThreadSnapshot {
                thread: found.thread.0,
                process: found.process.0,
                general: Some(found.general.into()),
                vector: unboxed(found.vector),
                stack_address: found.stack_address,
                stack: found.stack,
                failure: None,
                events: found.events,
            },
            Err(failure) => wire::ThreadSnapshot {
                thread,
                process,
                failure: Some(failure.into()),
                ..wire::ThreadSnapshot::default()
            },
        }
    }
}

impl TryFrom<wire::ThreadSnapshot> for plain::TargetSnapshot {
    type Error = Damaged;

    fn try_from(snapshot: wire::ThreadSnapshot) -> Result<plain::TargetSnapshot, Damaged> {
        Ok(plain::TargetSnapshot {
            target: target_of(snapshot.process, snapshot.thread)?,
            outcome: match snapshot.failure {
                Some(failure) => Err(failure.try_into()?),
                None => Ok(plain::ThreadSnapshot {
                    process: plain::ProcessId(snapshot.process),
                    thread: plain::ThreadId(snapshot.thread),
                    general: needed(snapshot.general, "registers of a snapshot")?,
                    vector: boxed(snapshot.vector)?,
                    stack_address: snapshot.stack_address,
                    stack: snapshot.stack,
                    events: snapshot.events,
                }),
            },
        })
    }
}
