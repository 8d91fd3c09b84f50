//! Watchpoints.

use wayfarer_backend as plain;

use super::settings::{scope_number, scope_of};
use super::{Damaged, enumerated, enumeration, needed, optional, thread_ids, thread_numbers};
use crate as wire;

enumeration!(WatchKind {
    Write,
    Read,
    Access,
});

impl From<plain::InsertWatchpointRequest> for wire::InsertWatchpointRequest {
    fn from(request: plain::InsertWatchpointRequest) -> wire::InsertWatchpointRequest {
        wire::InsertWatchpointRequest {
            session: 0,
            id: request.id.0,
            targets: Some(request.targets.into()),
            address: request.address,
            length: request.length,
            kind: wire::WatchKind::from(request.kind).into(),
            predicate: request.predicate,
            ignore_count: request.ignore_count,
            threads: thread_numbers(request.threads),
            stop_scope: scope_number(request.scope),
        }
    }
}

impl TryFrom<wire::InsertWatchpointRequest> for plain::InsertWatchpointRequest {
    type Error = Damaged;

    fn try_from(
        request: wire::InsertWatchpointRequest,
    ) -> Result<plain::InsertWatchpointRequest, Damaged> {
        Ok(plain::InsertWatchpointRequest {
            id: plain::BreakpointId(request.id),
            targets: needed(request.targets, "targets")?,
            address: request.address,
            length: request.length,
            kind: enumerated::<wire::WatchKind, _>(request.kind, "kind of watchpoint")?,
            predicate: request.predicate,
            ignore_count: request.ignore_count,
            threads: thread_ids(request.threads),
            scope: scope_of(request.stop_scope)?,
        })
    }
}

impl From<plain::RemoveWatchpointRequest> for wire::RemoveWatchpointRequest {
    fn from(request: plain::RemoveWatchpointRequest) -> wire::RemoveWatchpointRequest {
        wire::RemoveWatchpointRequest {
            session: 0,
            id: request.id.0,
            targets: request.targets.map(Into::into),
        }
    }
}

impl TryFrom<wire::RemoveWatchpointRequest> for plain::RemoveWatchpointRequest {
    type Error = Damaged;

    fn try_from(
        request: wire::RemoveWatchpointRequest,
    ) -> Result<plain::RemoveWatchpointRequest, Damaged> {
        Ok(plain::RemoveWatchpointRequest {
            id: plain::BreakpointId(request.id),
            targets: optional(request.targets)?,
        })
    }
}
