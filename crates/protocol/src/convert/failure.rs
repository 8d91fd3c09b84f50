//! Failures, alone and as the status of a whole call.

use prost::Message;
use tonic::{Code, Status};
use wayfarer_backend as plain;

use super::{Damaged, enumerated, enumeration};
use crate as wire;

enumeration!(FailureKind {
    Gone,
    Running,
    Permission,
    BadAddress,
    NoHardware,
    Invalid,
    Launch,
    TimedOut,
    Interrupted,
    AlreadyTraced,
    System,
    Lost,
});

impl From<plain::Failure> for wire::Failure {
    fn from(failure: plain::Failure) -> wire::Failure {
        wire::Failure {
            kind: wire::FailureKind::from(failure.kind).into(),
            message: failure.message,
        }
    }
}

impl TryFrom<wire::Failure> for plain::Failure {
    type Error = Damaged;

    fn try_from(failure: wire::Failure) -> Result<plain::Failure, Damaged> {
        Ok(plain::Failure {
            kind: enumerated::<wire::FailureKind, _>(failure.kind, "kind of failure")?,
            message: failure.message,
        })
    }
}

/// A request that failed as a whole.
pub fn status_of(failure: plain::Failure) -> Status {
    let code = match failure.kind {
        plain::FailureKind::Gone => Code::NotFound,
        plain::FailureKind::Invalid => Code::InvalidArgument,
        plain::FailureKind::Permission => Code::PermissionDenied,
        plain::FailureKind::TimedOut => Code::DeadlineExceeded,
        plain::FailureKind::Lost => Code::Unavailable,
        _ => Code::FailedPrecondition,
    };
    let message = failure.message.clone();
    let details = wire::Failure::from(failure).encode_to_vec();
    Status::with_details(code, message, details.into())
}

/// What a status says. One without details is the transport's or that of a peer that refuses to speak with us.
pub fn failure_of(status: &Status) -> plain::Failure {
    let told = match status.details() {
        [] => None,
        details => wire::Failure::decode(details).ok(),
    };
    told.and_then(|failure| plain::Failure::try_from(failure).ok())
        .unwrap_or_else(|| {
            let kind = match status.code() {
                Code::Unavailable => plain::FailureKind::Lost,
                _ => plain::FailureKind::Invalid,
            };
            plain::Failure::new(kind, status.message())
        })
}
