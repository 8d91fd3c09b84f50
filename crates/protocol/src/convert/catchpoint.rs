//! Catchpoints.

use wayfarer_backend as plain;
use wire::insert_catchpoint_request::Event;

use super::{Damaged, needed};
use crate as wire;

impl From<plain::InsertCatchpointRequest> for wire::InsertCatchpointRequest {
    fn from(request: plain::InsertCatchpointRequest) -> wire::InsertCatchpointRequest {
        wire::InsertCatchpointRequest {
            session: 0,
            id: request.id.0,
            event: Some(request.event.into()),
        }
    }
}

impl TryFrom<wire::InsertCatchpointRequest> for plain::InsertCatchpointRequest {
    type Error = Damaged;

    fn try_from(
        request: wire::InsertCatchpointRequest,
    ) -> Result<plain::InsertCatchpointRequest, Damaged> {
        Ok(plain::InsertCatchpointRequest {
            id: plain::BreakpointId(request.id),
            event: needed(request.event, "event to catch")?,
        })
    }
}

impl From<plain::Catch> for Event {
    fn from(event: plain::Catch) -> Event {
        match event {
            plain::Catch::Fork => Event::Fork(wire::Forks {}),
            plain::Catch::Vfork => Event::Vfork(wire::Vforks {}),
            plain::Catch::Exec => Event::Exec(wire::Execs {}),
            plain::Catch::Syscalls(numbers) => Event::Syscalls(wire::SyscallSet { numbers }),
        }
    }
}

impl TryFrom<Event> for plain::Catch {
    type Error = Damaged;

    fn try_from(event: Event) -> Result<plain::Catch, Damaged> {
        Ok(match event {
            Event::Fork(_) => plain::Catch::Fork,
            Event::Vfork(_) => plain::Catch::Vfork,
            Event::Exec(_) => plain::Catch::Exec,
            Event::Syscalls(set) => plain::Catch::Syscalls(set.numbers),
        })
    }
}

impl From<plain::RemoveCatchpointRequest> for wire::RemoveCatchpointRequest {
    fn from(id: plain::RemoveCatchpointRequest) -> wire::RemoveCatchpointRequest {
        wire::RemoveCatchpointRequest {
            session: 0,
            id: id.0,
        }
    }
}

impl TryFrom<wire::RemoveCatchpointRequest> for plain::RemoveCatchpointRequest {
    type Error = Damaged;

    fn try_from(
        request: wire::RemoveCatchpointRequest,
    ) -> Result<plain::RemoveCatchpointRequest, Damaged> {
        Ok(plain::BreakpointId(request.id))
    }
}
