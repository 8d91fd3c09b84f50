//! Calls in the debuggee.

use wayfarer_backend as plain;
use wire::call_argument::Value;

use super::registers::{boxed, unboxed};
use super::{Damaged, all, list, needed, optional};
use crate as wire;

impl From<plain::InferiorCallRequest> for wire::InferiorCallRequest {
    fn from(request: plain::InferiorCallRequest) -> wire::InferiorCallRequest {
        wire::InferiorCallRequest {
            session: 0,
            thread: request.thread.0,
            function: request.function,
            arguments: list(request.arguments),
            vector_arguments: request.vector_arguments,
            blocks: request.blocks,
            timeout_ms: request.timeout_ms,
            stay: request.stay,
        }
    }
}

impl TryFrom<wire::InferiorCallRequest> for plain::InferiorCallRequest {
    type Error = Damaged;

    fn try_from(request: wire::InferiorCallRequest) -> Result<plain::InferiorCallRequest, Damaged> {
        Ok(plain::InferiorCallRequest {
            thread: plain::ThreadId(request.thread),
            function: request.function,
            arguments: all(request.arguments)?,
            vector_arguments: request.vector_arguments,
            blocks: request.blocks,
            timeout_ms: request.timeout_ms,
            stay: request.stay,
        })
    }
}

impl From<plain::CallArgument> for wire::CallArgument {
    fn from(argument: plain::CallArgument) -> wire::CallArgument {
        let value = match argument {
            plain::CallArgument::Number(number) => Value::Number(number),
            plain::CallArgument::Block(index) => Value::Block(index),
        };
        wire::CallArgument { value: Some(value) }
    }
}

impl TryFrom<wire::CallArgument> for plain::CallArgument {
    type Error = Damaged;

    fn try_from(argument: wire::CallArgument) -> Result<plain::CallArgument, Damaged> {
        Ok(match argument.value.ok_or(Damaged("argument of a call"))? {
            Value::Number(number) => plain::CallArgument::Number(number),
            Value::Block(index) => plain::CallArgument::Block(index),
        })
    }
}

impl From<plain::InferiorCallReply> for wire::InferiorCallReply {
    fn from(reply: plain::InferiorCallReply) -> wire::InferiorCallReply {
        match reply {
            plain::InferiorCallReply::Returned(returned) => wire::InferiorCallReply {
                general: Some(returned.general.into()),
                vector: unboxed(returned.vector),
                block_addresses: returned.blocks.iter().map(|block| block.address).collect(),
                blocks: returned
                    .blocks
                    .into_iter()
                    .map(|block| block.bytes)
                    .collect(),
                ..wire::InferiorCallReply::default()
            },
            plain::InferiorCallReply::Stopped(stopped) => wire::InferiorCallReply {
                interruption: Some(stopped.stop.into()),
                stayed: stopped.stayed.map(Into::into),
                ..wire::InferiorCallReply::default()
            },
        }
    }
}

impl TryFrom<wire::InferiorCallReply> for plain::InferiorCallReply {
    type Error = Damaged;

    fn try_from(reply: wire::InferiorCallReply) -> Result<plain::InferiorCallReply, Damaged> {
        if let Some(stop) = reply.interruption {
            return Ok(plain::InferiorCallReply::Stopped(plain::CallStopped {
                stop: stop.try_into()?,
                stayed: optional(reply.stayed)?,
            }));
        }
        if reply.blocks.len() != reply.block_addresses.len() {
            return Err(Damaged("address of a block"));
        }
        let blocks = reply.blocks.into_iter().zip(reply.block_addresses);
        Ok(plain::InferiorCallReply::Returned(plain::CallReturned {
            general: needed(reply.general, "registers of a return")?,
            vector: boxed(reply.vector)?,
            blocks: blocks
                .map(|(bytes, address)| plain::Block { address, bytes })
                .collect(),
        }))
    }
}

impl From<plain::StayedIn> for wire::StayedIn {
    fn from(stayed: plain::StayedIn) -> wire::StayedIn {
        wire::StayedIn {
            return_address: stayed.return_address,
            stack: stayed.stack,
            signal: stayed.signal.map(|signal| signal as u32),
        }
    }
}

impl TryFrom<wire::StayedIn> for plain::StayedIn {
    type Error = Damaged;

    fn try_from(stayed: wire::StayedIn) -> Result<plain::StayedIn, Damaged> {
        Ok(plain::StayedIn {
            return_address: stayed.return_address,
            stack: stayed.stack,
            signal: stayed.signal.map(|signal| signal as i32),
        })
    }
}
