//! Memory.

use wayfarer_backend as plain;

use super::{Damaged, all, list, optional};
use crate as wire;

impl From<plain::MemoryRange> for wire::MemoryRange {
    fn from(range: plain::MemoryRange) -> wire::MemoryRange {
        wire::MemoryRange {
            process: range.process.0,
            address: range.address,
            length: range.length,
        }
    }
}

impl TryFrom<wire::MemoryRange> for plain::MemoryRange {
    type Error = Damaged;

    fn try_from(range: wire::MemoryRange) -> Result<plain::MemoryRange, Damaged> {
        Ok(plain::MemoryRange {
            process: plain::ProcessId(range.process),
            address: range.address,
            length: range.length,
        })
    }
}

impl From<plain::ReadMemoryRequest> for wire::ReadMemoryRequest {
    fn from(ranges: plain::ReadMemoryRequest) -> wire::ReadMemoryRequest {
        wire::ReadMemoryRequest {
            session: 0,
            ranges: list(ranges),
        }
    }
}

impl TryFrom<wire::ReadMemoryRequest> for plain::ReadMemoryRequest {
    type Error = Damaged;

    fn try_from(request: wire::ReadMemoryRequest) -> Result<plain::ReadMemoryRequest, Damaged> {
        all(request.ranges)
    }
}

impl From<plain::MemoryContents> for wire::MemoryContents {
    fn from(contents: plain::MemoryContents) -> wire::MemoryContents {
        wire::MemoryContents {
            data: contents.data,
            failure: contents.end.map(Into::into),
        }
    }
}

impl TryFrom<wire::MemoryContents> for plain::MemoryContents {
    type Error = Damaged;

    fn try_from(contents: wire::MemoryContents) -> Result<plain::MemoryContents, Damaged> {
        Ok(plain::MemoryContents {
            data: contents.data,
            end: optional(contents.failure)?,
        })
    }
}

impl From<plain::ReadMemoryReply> for wire::ReadMemoryReply {
    fn from(contents: plain::ReadMemoryReply) -> wire::ReadMemoryReply {
        wire::ReadMemoryReply {
            contents: list(contents),
        }
    }
}

impl TryFrom<wire::ReadMemoryReply> for plain::ReadMemoryReply {
    type Error = Damaged;

    fn try_from(reply: wire::ReadMemoryReply) -> Result<plain::ReadMemoryReply, Damaged> {
        all(reply.contents)
    }
}

impl From<plain::MemoryWrite> for wire::MemoryWrite {
    fn from(write: plain::MemoryWrite) -> wire::MemoryWrite {
        wire::MemoryWrite {
            process: write.process.0,
            address: write.address,
            data: write.data,
        }
    }
}

impl TryFrom<wire::MemoryWrite> for plain::MemoryWrite {
    type Error = Damaged;

    fn try_from(write: wire::MemoryWrite) -> Result<plain::MemoryWrite, Damaged> {
        Ok(plain::MemoryWrite {
            process: plain::ProcessId(write.process),
            address: write.address,
            data: write.data,
        })
    }
}

impl From<plain::WriteMemoryRequest> for wire::WriteMemoryRequest {
    fn from(writes: plain::WriteMemoryRequest) -> wire::WriteMemoryRequest {
        wire::WriteMemoryRequest {
            session: 0,
            writes: list(writes),
        }
    }
}

impl TryFrom<wire::WriteMemoryRequest> for plain::WriteMemoryRequest {
    type Error = Damaged;

    fn try_from(request: wire::WriteMemoryRequest) -> Result<plain::WriteMemoryRequest, Damaged> {
        all(request.writes)
    }
}
