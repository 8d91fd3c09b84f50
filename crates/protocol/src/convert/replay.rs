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
            hold: request.hold.map(Into::into),
            again: request.again,
        }
    }
}

impl TryFrom<wire::OpenTraceRequest> for plain::OpenTraceRequest {
    type Error = Damaged;

    fn try_from(request: wire::OpenTraceRequest) -> Result<plain::OpenTraceRequest, Damaged> {
        Ok(plain::OpenTraceRequest {
            directory: request.directory,
            accept_damage: request.accept_damage,
            hold: request.hold.map(Into::into),
            again: request.again,
        })
    }
}

impl From<plain::Hold> for wire::Hold {
    fn from(hold: plain::Hold) -> wire::Hold {
        wire::Hold {
            process: hold.process,
            thread: hold.thread,
            events: hold.events,
        }
    }
}

impl From<wire::Hold> for plain::Hold {
    fn from(hold: wire::Hold) -> plain::Hold {
        plain::Hold {
            process: hold.process,
            thread: hold.thread,
            events: hold.events,
        }
    }
}

impl From<plain::HoldBackRequest> for wire::HoldBackRequest {
    fn from(request: plain::HoldBackRequest) -> wire::HoldBackRequest {
        wire::HoldBackRequest {
            session: 0,
            hold: request.hold.map(Into::into),
        }
    }
}

impl TryFrom<wire::HoldBackRequest> for plain::HoldBackRequest {
    type Error = Damaged;

    fn try_from(request: wire::HoldBackRequest) -> Result<plain::HoldBackRequest, Damaged> {
        let hold = request.hold.map(Into::into);
        Ok(plain::HoldBackRequest { hold })
    }
}

impl From<plain::SettleRequest> for wire::SettleRequest {
    fn from(request: plain::SettleRequest) -> wire::SettleRequest {
        wire::SettleRequest {
            session: 0,
            held: Some(request.held.into()),
        }
    }
}

impl TryFrom<wire::SettleRequest> for plain::SettleRequest {
    type Error = Damaged;

    fn try_from(request: wire::SettleRequest) -> Result<plain::SettleRequest, Damaged> {
        let held = needed(request.held, "targets")?;
        Ok(plain::SettleRequest { held })
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
