//! Breakpoints.

use wayfarer_backend as plain;

use super::settings::{scope_number, scope_of};
use super::{
    Damaged, all, breakpoint_ids, breakpoint_numbers, list, optional, outcome, process_ids,
    process_numbers, thread_ids, thread_numbers,
};
use crate as wire;

impl From<plain::InsertBreakpointRequest> for wire::InsertBreakpointRequest {
    fn from(request: plain::InsertBreakpointRequest) -> wire::InsertBreakpointRequest {
        wire::InsertBreakpointRequest {
            session: 0,
            id: request.id.0,
            places: list(request.places),
            ignore_count: request.ignore_count,
            threads: thread_numbers(request.threads),
            barrier: request.barrier.map(Into::into),
            stop_scope: scope_number(request.scope),
            stack_above: request.stack_above,
            hardware: request.hardware,
        }
    }
}

impl TryFrom<wire::InsertBreakpointRequest> for plain::InsertBreakpointRequest {
    type Error = Damaged;

    fn try_from(
        request: wire::InsertBreakpointRequest,
    ) -> Result<plain::InsertBreakpointRequest, Damaged> {
        Ok(plain::InsertBreakpointRequest {
            id: plain::BreakpointId(request.id),
            places: all(request.places)?,
            ignore_count: request.ignore_count,
            threads: thread_ids(request.threads),
            barrier: optional(request.barrier)?,
            scope: scope_of(request.stop_scope)?,
            stack_above: request.stack_above,
            hardware: request.hardware,
        })
    }
}

impl From<plain::BreakpointPlace> for wire::BreakpointPlace {
    fn from(place: plain::BreakpointPlace) -> wire::BreakpointPlace {
        wire::BreakpointPlace {
            process: place.at.process.0,
            address: place.at.address,
            predicate: place.predicate,
        }
    }
}

impl TryFrom<wire::BreakpointPlace> for plain::BreakpointPlace {
    type Error = Damaged;

    fn try_from(place: wire::BreakpointPlace) -> Result<plain::BreakpointPlace, Damaged> {
        Ok(plain::BreakpointPlace {
            at: plain::Location {
                process: plain::ProcessId(place.process),
                address: place.address,
            },
            predicate: place.predicate,
        })
    }
}

impl From<plain::Location> for wire::Location {
    fn from(location: plain::Location) -> wire::Location {
        wire::Location {
            process: location.process.0,
            address: location.address,
        }
    }
}

impl TryFrom<wire::Location> for plain::Location {
    type Error = Damaged;

    fn try_from(location: wire::Location) -> Result<plain::Location, Damaged> {
        Ok(plain::Location {
            process: plain::ProcessId(location.process),
            address: location.address,
        })
    }
}

impl From<plain::Barrier> for wire::Barrier {
    fn from(barrier: plain::Barrier) -> wire::Barrier {
        wire::Barrier {
            processes: process_numbers(barrier.processes),
            threads: thread_numbers(barrier.threads),
        }
    }
}

impl TryFrom<wire::Barrier> for plain::Barrier {
    type Error = Damaged;

    fn try_from(barrier: wire::Barrier) -> Result<plain::Barrier, Damaged> {
        Ok(plain::Barrier {
            processes: process_ids(barrier.processes),
            threads: thread_ids(barrier.threads),
        })
    }
}

impl From<plain::InsertBreakpointReply> for wire::InsertBreakpointReply {
    fn from(results: plain::InsertBreakpointReply) -> wire::InsertBreakpointReply {
        wire::InsertBreakpointReply {
            results: list(results),
        }
    }
}

impl TryFrom<wire::InsertBreakpointReply> for plain::InsertBreakpointReply {
    type Error = Damaged;

    fn try_from(
        reply: wire::InsertBreakpointReply,
    ) -> Result<plain::InsertBreakpointReply, Damaged> {
        all(reply.results)
    }
}

impl From<plain::PlaceResult> for wire::BreakpointPlaceResult {
    fn from(result: plain::PlaceResult) -> wire::BreakpointPlaceResult {
        wire::BreakpointPlaceResult {
            process: result.at.process.0,
            address: result.at.address,
            failure: result.outcome.err().map(Into::into),
        }
    }
}

impl TryFrom<wire::BreakpointPlaceResult> for plain::PlaceResult {
    type Error = Damaged;

    fn try_from(result: wire::BreakpointPlaceResult) -> Result<plain::PlaceResult, Damaged> {
        Ok(plain::PlaceResult {
            at: plain::Location {
                process: plain::ProcessId(result.process),
                address: result.address,
            },
            outcome: outcome(result.failure)?,
        })
    }
}

impl From<plain::RemoveBreakpointRequest> for wire::RemoveBreakpointRequest {
    fn from(request: plain::RemoveBreakpointRequest) -> wire::RemoveBreakpointRequest {
        wire::RemoveBreakpointRequest {
            session: 0,
            id: request.id.0,
            places: request.places.map(|places| wire::Locations {
                locations: list(places),
            }),
        }
    }
}

impl TryFrom<wire::RemoveBreakpointRequest> for plain::RemoveBreakpointRequest {
    type Error = Damaged;

    fn try_from(
        request: wire::RemoveBreakpointRequest,
    ) -> Result<plain::RemoveBreakpointRequest, Damaged> {
        Ok(plain::RemoveBreakpointRequest {
            id: plain::BreakpointId(request.id),
            places: request
                .places
                .map(|places| all(places.locations))
                .transpose()?,
        })
    }
}

impl From<plain::GetHitsRequest> for wire::GetHitsRequest {
    fn from(ids: plain::GetHitsRequest) -> wire::GetHitsRequest {
        wire::GetHitsRequest {
            session: 0,
            ids: breakpoint_numbers(ids),
        }
    }
}

impl TryFrom<wire::GetHitsRequest> for plain::GetHitsRequest {
    type Error = Damaged;

    fn try_from(request: wire::GetHitsRequest) -> Result<plain::GetHitsRequest, Damaged> {
        Ok(breakpoint_ids(request.ids))
    }
}

impl From<plain::GetHitsReply> for wire::GetHitsReply {
    fn from(hits: plain::GetHitsReply) -> wire::GetHitsReply {
        wire::GetHitsReply { hits: list(hits) }
    }
}

impl TryFrom<wire::GetHitsReply> for plain::GetHitsReply {
    type Error = Damaged;

    fn try_from(reply: wire::GetHitsReply) -> Result<plain::GetHitsReply, Damaged> {
        all(reply.hits)
    }
}

impl From<plain::Hits> for wire::Hits {
    fn from(hits: plain::Hits) -> wire::Hits {
        wire::Hits {
            id: hits.id.0,
            hits: hits.hits,
            evaluations: hits.evaluations,
            ignore_left: hits.ignore_left,
        }
    }
}

impl TryFrom<wire::Hits> for plain::Hits {
    type Error = Damaged;

    fn try_from(hits: wire::Hits) -> Result<plain::Hits, Damaged> {
        Ok(plain::Hits {
            id: plain::BreakpointId(hits.id),
            hits: hits.hits,
            evaluations: hits.evaluations,
            ignore_left: hits.ignore_left,
        })
    }
}
