//! Replays.

use wayfarer_backend as plain;

use super::{Damaged, needed};
use crate as wire;

impl From<plain::OpenTraceRequest> for wire::OpenTraceRequest {
    fn from(request: plain::OpenTraceRequest) -> wire::OpenTraceRequest {
        wire::OpenTraceRequest {
            session: 0,
            directory: request.directory,
            accept_damage: request.accept_damage,
        }
    }
}

impl TryFrom<wire::OpenTraceRequest> for plain::OpenTraceRequest {
    type Error = Damaged;

    fn try_from(request: wire::OpenTraceRequest) -> Result<plain::OpenTraceRequest, Damaged> {
        Ok(plain::OpenTraceRequest {
            directory: request.directory,
            accept_damage: request.accept_damage,
        })
    }
}

impl From<plain::OpenTraceReply> for wire::OpenTraceReply {
    fn from(reply: plain::OpenTraceReply) -> wire::OpenTraceReply {
        wire::OpenTraceReply {
            process: Some(reply.process.into()),
            notes: reply.notes,
        }
    }
}

impl TryFrom<wire::OpenTraceReply> for plain::OpenTraceReply {
    type Error = Damaged;

    fn try_from(reply: wire::OpenTraceReply) -> Result<plain::OpenTraceReply, Damaged> {
        Ok(plain::OpenTraceReply {
            process: needed(reply.process, "first process of a replay")?,
            notes: reply.notes,
        })
    }
}

impl From<plain::ReplayEnded> for wire::ReplayEnded {
    fn from(ended: plain::ReplayEnded) -> wire::ReplayEnded {
        wire::ReplayEnded {
            difference: ended.difference,
            status: ended.status,
            events: ended.events,
            threads: ended.threads,
            processes: ended.processes,
        }
    }
}

impl From<wire::ReplayEnded> for plain::ReplayEnded {
    fn from(ended: wire::ReplayEnded) -> plain::ReplayEnded {
        plain::ReplayEnded {
            difference: ended.difference,
            status: ended.status,
            events: ended.events,
            threads: ended.threads,
            processes: ended.processes,
        }
    }
}
