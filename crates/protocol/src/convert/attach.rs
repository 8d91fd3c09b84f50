//! Taking processes in.

use wayfarer_backend as plain;

use super::{Damaged, all, list, needed};
use crate as wire;

impl From<plain::LaunchRequest> for wire::LaunchRequest {
    fn from(request: plain::LaunchRequest) -> wire::LaunchRequest {
        wire::LaunchRequest {
            session: 0,
            arguments: request.arguments,
            environment: request.environment,
            directory: request.directory,
            randomize: request.randomize,
        }
    }
}

impl TryFrom<wire::LaunchRequest> for plain::LaunchRequest {
    type Error = Damaged;

    fn try_from(request: wire::LaunchRequest) -> Result<plain::LaunchRequest, Damaged> {
        Ok(plain::LaunchRequest {
            arguments: request.arguments,
            environment: request.environment,
            directory: request.directory,
            randomize: request.randomize,
        })
    }
}

impl From<plain::LaunchReply> for wire::LaunchReply {
    fn from(process: plain::LaunchReply) -> wire::LaunchReply {
        wire::LaunchReply {
            process: Some(process.into()),
        }
    }
}

impl TryFrom<wire::LaunchReply> for plain::LaunchReply {
    type Error = Damaged;

    fn try_from(reply: wire::LaunchReply) -> Result<plain::LaunchReply, Damaged> {
        needed(reply.process, "launched process")
    }
}

impl From<plain::AttachRequest> for wire::AttachRequest {
    fn from(request: plain::AttachRequest) -> wire::AttachRequest {
        wire::AttachRequest {
            session: 0,
            pids: request.pids.into_iter().map(|pid| pid as u32).collect(),
        }
    }
}

impl TryFrom<wire::AttachRequest> for plain::AttachRequest {
    type Error = Damaged;

    fn try_from(request: wire::AttachRequest) -> Result<plain::AttachRequest, Damaged> {
        Ok(plain::AttachRequest {
            pids: request.pids.into_iter().map(|pid| pid as i32).collect(),
        })
    }
}

impl From<plain::AttachResult> for wire::AttachResult {
    fn from(result: plain::AttachResult) -> wire::AttachResult {
        let (process, failure) = match result.outcome {
            Ok(process) => (Some(process.into()), None),
            Err(failure) => (None, Some(failure.into())),
        };
        wire::AttachResult {
            pid: result.pid as u32,
            process,
            failure,
        }
    }
}

impl TryFrom<wire::AttachResult> for plain::AttachResult {
    type Error = Damaged;

    fn try_from(result: wire::AttachResult) -> Result<plain::AttachResult, Damaged> {
        Ok(plain::AttachResult {
            pid: result.pid as i32,
            outcome: match result.failure {
                Some(failure) => Err(failure.try_into()?),
                None => Ok(needed(result.process, "attached process")?),
            },
        })
    }
}

impl From<plain::AttachReply> for wire::AttachReply {
    fn from(reply: plain::AttachReply) -> wire::AttachReply {
        wire::AttachReply {
            results: list(reply.results),
            first_to_last_ns: reply.first_to_last_ns,
        }
    }
}

impl TryFrom<wire::AttachReply> for plain::AttachReply {
    type Error = Damaged;

    fn try_from(reply: wire::AttachReply) -> Result<plain::AttachReply, Damaged> {
        Ok(plain::AttachReply {
            results: all(reply.results)?,
            first_to_last_ns: reply.first_to_last_ns,
        })
    }
}
