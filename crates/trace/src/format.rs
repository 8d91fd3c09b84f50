//! The sealed file: a head, then blocks, each with its own head and checksum.
//!
//! `docs/trace-format.md` describes the same for people.

use wayfarer_runtime_abi::ABI_VERSION;

use crate::FORMAT_VERSION;
use crate::bytes::{Cursor, u32_at, u64_at};

/// First bytes of the file. The last two catch transfers that change line ends.
pub(crate) const FILE_MAGIC: [u8; 8] = *b"WFTRC\x1a\r\n";
pub(crate) const FILE_HEAD: usize = 24;

pub(crate) const BLOCK_MAGIC: u32 = u32::from_le_bytes(*b"WFBK");
pub(crate) const BLOCK_HEAD: usize = 40;

/// Raw bytes after which a block of log is closed.
pub(crate) const LOG_BLOCK_BYTES: usize = 4 << 20;
/// Bytes after which a block of payloads is closed.
pub(crate) const PAYLOAD_BLOCK_BYTES: usize = 1 << 20;
/// Payloads from this length on lie in payload blocks, each content once.
pub(crate) const BIG_PAYLOAD: usize = 4096;
/// No block may unpack to more: a little over what one system call can read.
pub(crate) const LONGEST_RAW: u64 = (2 << 30) + (32 << 20);

/// Kinds of blocks.
pub(crate) mod kind {
    /// Processes, threads, objects, counters. The first block of the file, exactly one.
    pub(crate) const TABLES: u32 = 1;
    /// Payloads that logs refer to by number.
    pub(crate) const PAYLOADS: u32 = 2;
    /// Parts of the logs of one or more threads.
    pub(crate) const LOG: u32 = 3;
    /// Names and ends of processes as the logs tell them. A cache.
    pub(crate) const FACTS: u32 = 4;
    /// Heads of all blocks before it. A cache, and the mark of a complete file.
    pub(crate) const INDEX: u32 = 5;
}

/// How the body of a block after its directory is packed.
pub(crate) mod packing {
    pub(crate) const ZSTD: u32 = 0;
    /// Records taken apart; logs only.
    pub(crate) const RECORDS: u32 = 1;
}

/// The head of the file with the versions of this build.
pub(crate) fn file_head() -> [u8; FILE_HEAD] {
    let mut head = [0; FILE_HEAD];
    head[..8].copy_from_slice(&FILE_MAGIC);
    head[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    head[12..16].copy_from_slice(&ABI_VERSION.to_le_bytes());
    let crc = crc32fast::hash(&head[..20]);
    head[20..].copy_from_slice(&crc.to_le_bytes());
    head
}

/// What the head of the file says.
pub(crate) enum FileHead {
    NotOurs,
    Damaged,
    Versions { format: u32, abi: u32 },
}

pub(crate) fn parse_file_head(head: &[u8]) -> FileHead {
    if head.get(..8) != Some(&FILE_MAGIC[..]) {
        return FileHead::NotOurs;
    }
    match (u32_at(head, 8), u32_at(head, 12), u32_at(head, 20)) {
        (Some(format), Some(abi), Some(crc)) if crc == crc32fast::hash(&head[..20]) => {
            FileHead::Versions { format, abi }
        }
        _ => FileHead::Damaged,
    }
}

/// The head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockHead {
    pub(crate) kind: u32,
    pub(crate) packing: u32,
    /// Bytes of the directory at the start of the body, which is not packed.
    pub(crate) directory: u32,
    /// Bytes of the packed part when unpacked.
    pub(crate) raw_length: u64,
    /// Bytes of the body in the file, directory included.
    pub(crate) stored_length: u64,
    /// CRC-32 of the body as stored.
    pub(crate) body_crc: u32,
    /// CRC-32 of the packed part when unpacked: a packing that this build understands otherwise than
    /// the one that wrote it shows here, not in a replay.
    pub(crate) raw_crc: u32,
}

impl BlockHead {
    pub(crate) fn encode(&self) -> [u8; BLOCK_HEAD] {
        let mut head = [0; BLOCK_HEAD];
        head[..4].copy_from_slice(&BLOCK_MAGIC.to_le_bytes());
        // Kinds and packings are small numbers; two bytes each.
        head[4..6].copy_from_slice(&(self.kind as u16).to_le_bytes());
        head[6..8].copy_from_slice(&(self.packing as u16).to_le_bytes());
        head[8..12].copy_from_slice(&self.directory.to_le_bytes());
        head[12..20].copy_from_slice(&self.raw_length.to_le_bytes());
        head[20..28].copy_from_slice(&self.stored_length.to_le_bytes());
        head[28..32].copy_from_slice(&self.body_crc.to_le_bytes());
        head[32..36].copy_from_slice(&self.raw_crc.to_le_bytes());
        let crc = crc32fast::hash(&head[..36]);
        head[36..].copy_from_slice(&crc.to_le_bytes());
        head
    }

    /// `None` when these are not the bytes of a head. Lengths are plausible then, but not yet held
    /// against the file.
    pub(crate) fn decode(head: &[u8]) -> Option<Self> {
        let head = head.get(..BLOCK_HEAD)?;
        if u32_at(head, 0)? != BLOCK_MAGIC || u32_at(head, 36)? != crc32fast::hash(&head[..36]) {
            return None;
        }
        let kinds = u32_at(head, 4)?;
        let decoded = Self {
            kind: kinds & 0xffff,
            packing: kinds >> 16,
            directory: u32_at(head, 8)?,
            raw_length: u64_at(head, 12)?,
            stored_length: u64_at(head, 20)?,
            body_crc: u32_at(head, 28)?,
            raw_crc: u32_at(head, 32)?,
        };
        let plausible = decoded.raw_length <= LONGEST_RAW
            && decoded.stored_length <= 2 * LONGEST_RAW
            && u64::from(decoded.directory) <= decoded.stored_length;
        plausible.then_some(decoded)
    }
}

/// A part of a thread's log within a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) thread: u32,
    /// Counted from zero in each thread.
    pub(crate) part: u32,
    pub(crate) length: u64,
}

impl Segment {
    const SIZE: usize = 16;

    pub(crate) fn encode_all(segments: &[Self]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(segments.len() * Self::SIZE);
        for segment in segments {
            bytes.extend_from_slice(&segment.thread.to_le_bytes());
            bytes.extend_from_slice(&segment.part.to_le_bytes());
            bytes.extend_from_slice(&segment.length.to_le_bytes());
        }
        bytes
    }

    /// `None` unless the directory consists of segments that add up to `raw_length`.
    pub(crate) fn decode_all(directory: &[u8], raw_length: u64) -> Option<Vec<Self>> {
        if !directory.len().is_multiple_of(Self::SIZE) {
            return None;
        }
        let mut cursor = Cursor::new(directory);
        let mut segments = Vec::with_capacity(directory.len() / Self::SIZE);
        let mut sum = 0u64;
        while let (Some(thread), Some(part), Some(length)) =
            (cursor.u32(), cursor.u32(), cursor.u64())
        {
            sum = sum.checked_add(length)?;
            segments.push(Self {
                thread,
                part,
                length,
            });
        }
        (sum == raw_length).then_some(segments)
    }
}

/// The directory of a block of payloads: the number of the first and the length of each.
pub(crate) fn encode_payload_directory(first: u64, lengths: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + 8 * lengths.len());
    bytes.extend_from_slice(&first.to_le_bytes());
    for length in lengths {
        bytes.extend_from_slice(&length.to_le_bytes());
    }
    bytes
}

/// `None` unless the lengths add up to `raw_length`.
pub(crate) fn decode_payload_directory(
    directory: &[u8],
    raw_length: u64,
) -> Option<(u64, Vec<u64>)> {
    if !directory.len().is_multiple_of(8) {
        return None;
    }
    let mut cursor = Cursor::new(directory);
    let first = cursor.u64()?;
    let mut lengths = Vec::with_capacity(directory.len() / 8);
    let mut sum = 0u64;
    while let Some(length) = cursor.u64() {
        sum = sum.checked_add(length)?;
        lengths.push(length);
    }
    first.checked_add(lengths.len() as u64)?;
    (sum == raw_length).then_some((first, lengths))
}

/// An entry of the index: where a block lies, with the fields of its head.
pub(crate) const INDEX_ENTRY: usize = 8 + BLOCK_HEAD;
/// Last bytes of the file: offset of the index, then this.
pub(crate) const TRAILER_MAGIC: [u8; 8] = *b"WFTRCEND";
pub(crate) const TRAILER: usize = 16;
