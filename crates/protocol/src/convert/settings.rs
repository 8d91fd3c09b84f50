//! What is set for the whole session.

use wayfarer_backend as plain;

use super::{Damaged, all, enumerated, enumeration, list};
use crate as wire;

enumeration!(StopScope {
    Thread,
    Process,
    All,
});

/// A scope that may be left to the session.
pub(super) fn scope_number(scope: Option<plain::StopScope>) -> i32 {
    scope
        .map_or(wire::StopScope::Unspecified, Into::into)
        .into()
}

/// The same from the wire.
pub(super) fn scope_of(number: i32) -> Result<Option<plain::StopScope>, Damaged> {
    match number {
        0 => Ok(None),
        number => enumerated::<wire::StopScope, _>(number, "scope of a stop").map(Some),
    }
}

impl From<plain::ConfigureRequest> for wire::ConfigureRequest {
    fn from(request: plain::ConfigureRequest) -> wire::ConfigureRequest {
        wire::ConfigureRequest {
            session: 0,
            stop_scope: scope_number(request.scope),
            follow_children: request.follow_children,
            hold_on_load: request.hold_on_load,
            detach_parent_on_fork: request.detach_parent_on_fork,
        }
    }
}

impl TryFrom<wire::ConfigureRequest> for plain::ConfigureRequest {
    type Error = Damaged;

    fn try_from(request: wire::ConfigureRequest) -> Result<plain::ConfigureRequest, Damaged> {
        Ok(plain::ConfigureRequest {
            scope: scope_of(request.stop_scope)?,
            follow_children: request.follow_children,
            hold_on_load: request.hold_on_load,
            detach_parent_on_fork: request.detach_parent_on_fork,
        })
    }
}

impl From<plain::SignalDisposition> for wire::SignalDisposition {
    fn from(disposition: plain::SignalDisposition) -> wire::SignalDisposition {
        wire::SignalDisposition {
            signal: disposition.signal as u32,
            stop: disposition.stop,
            print: disposition.print,
            pass: disposition.pass,
        }
    }
}

impl TryFrom<wire::SignalDisposition> for plain::SignalDisposition {
    type Error = Damaged;

    fn try_from(disposition: wire::SignalDisposition) -> Result<plain::SignalDisposition, Damaged> {
        Ok(plain::SignalDisposition {
            signal: disposition.signal as i32,
            stop: disposition.stop,
            print: disposition.print,
            pass: disposition.pass,
        })
    }
}

impl From<plain::SetSignalsRequest> for wire::SetSignalsRequest {
    fn from(signals: plain::SetSignalsRequest) -> wire::SetSignalsRequest {
        wire::SetSignalsRequest {
            session: 0,
            signals: list(signals),
        }
    }
}

impl TryFrom<wire::SetSignalsRequest> for plain::SetSignalsRequest {
    type Error = Damaged;

    fn try_from(request: wire::SetSignalsRequest) -> Result<plain::SetSignalsRequest, Damaged> {
        all(request.signals)
    }
}
