//! The sealed form: blocks are found when it is opened and unpacked when needed.

mod ahead;
mod logs;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use wayfarer_model::ThreadId;

use crate::EVENTS_FILE;
use crate::bytes::u64_at;
use crate::error::{Damage, OpenError, ReadError};
use crate::facts;
use crate::format::{
    BLOCK_HEAD, BlockHead, FILE_HEAD, FileHead, INDEX_ENTRY, Segment, TRAILER, TRAILER_MAGIC,
    decode_payload_directory, kind, packing, parse_file_head,
};
use crate::manifest::check_versions;
use crate::packing::decompress;
use crate::source::{Source, read_bytes};
use crate::tables::Tables;

/// A block and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Of its head.
    pub(crate) offset: u64,
    pub(crate) head: BlockHead,
}

/// A part of a thread's log: which block holds it and where in the unpacked block.
#[derive(Clone, Copy)]
struct Part {
    block: usize,
    start: u64,
    length: u64,
}

/// Payloads by number: those of one block.
struct PayloadRange {
    first: u64,
    /// End of each payload in the unpacked block.
    ends: Vec<u64>,
    block: usize,
}

pub(crate) struct Sealed {
    source: Box<dyn Source>,
    blocks: Vec<Block>,
    segments: HashMap<usize, Vec<Segment>>,
    parts: HashMap<ThreadId, Vec<Part>>,
    payloads: Vec<PayloadRange>,
    pub(crate) tables: Tables,
    /// Whether names and ends of processes were there.
    pub(crate) has_facts: bool,
    pub(crate) damage: Vec<Damage>,
    log_cache: Mutex<Option<(usize, Arc<Vec<u8>>)>>,
    payload_cache: Mutex<Vec<(usize, Arc<Vec<u8>>)>>,
}

impl Sealed {
    /// `path` is for messages.
    pub(crate) fn open(source: Box<dyn Source>, path: &Path) -> Result<Self, OpenError> {
        let damaged = |offset, reason: &str| OpenError::Damaged {
            path: path.to_path_buf(),
            offset,
            reason: reason.to_owned(),
        };
        let length = source.length();
        if length == 0 {
            return Err(damaged(0, "it is empty"));
        }
        let head = read_bytes(&*source, 0, FILE_HEAD)
            .map_err(|_| damaged(0, &format!("it has {length} bytes, too few for its head")))?;
        match parse_file_head(&head) {
            FileHead::NotOurs => {
                return Err(damaged(0, "it does not begin as a sealed trace does"));
            }
            FileHead::Damaged => return Err(damaged(0, "the checksum of its head is wrong")),
            FileHead::Versions { format, abi } => check_versions(path, format, abi)?,
        }
        let mut sealed = Self {
            source,
            blocks: Vec::new(),
            segments: HashMap::new(),
            parts: HashMap::new(),
            payloads: Vec::new(),
            tables: Tables::default(),
            has_facts: false,
            damage: Vec::new(),
            log_cache: Mutex::new(None),
            payload_cache: Mutex::new(Vec::new()),
        };
        match sealed.blocks_by_index() {
            Some(blocks) => sealed.blocks = blocks,
            None => sealed.scan(),
        }
        sealed.read_tables(path)?;
        sealed.read_directories();
        sealed.join_parts();
        sealed.tables.complete();
        sealed.read_facts();
        Ok(sealed)
    }

    pub(crate) fn source(&self) -> &dyn Source {
        &*self.source
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    fn note(&mut self, offset: u64, reason: impl Into<String>) {
        self.damage.push(Damage {
            file: EVENTS_FILE,
            offset,
            reason: reason.into(),
            thread: None,
            good_until: 0,
        });
    }

    /// The blocks as the index lists them; `None` when there is no good index.
    fn blocks_by_index(&self) -> Option<Vec<Block>> {
        let length = self.source.length();
        let trailer_offset = length.checked_sub(TRAILER as u64)?;
        let trailer = read_bytes(&*self.source, trailer_offset, TRAILER).ok()?;
        if trailer.get(8..)? != TRAILER_MAGIC {
            return None;
        }
        let block = self.block_at(u64_at(&trailer, 0)?)?;
        if block.head.kind != kind::INDEX || end_of(&block) != trailer_offset {
            return None;
        }
        let index = self.unpack_plain(&block).ok()?;
        let mut blocks = Vec::with_capacity(index.len() / INDEX_ENTRY);
        let mut expected = FILE_HEAD as u64;
        for entry in index.chunks(INDEX_ENTRY) {
            let head = BlockHead::decode(entry.get(8..)?)?;
            let found = Block {
                offset: u64_at(entry, 0)?,
                head,
            };
            // Blocks lie one after the other without gaps, so a wrong index shows.
            if found.offset != expected {
                return None;
            }
            expected = end_of(&found);
            blocks.push(found);
        }
        (expected == block.offset).then_some(blocks)
    }

    /// Finds the blocks by walking from head to head. After a damaged head the next good one is
    /// searched for.
    fn scan(&mut self) {
        let length = self.source.length();
        let mut offset = FILE_HEAD as u64;
        while offset < length {
            match self.block_at(offset) {
                Some(block) if block.head.kind == kind::INDEX => {
                    let end = end_of(&block) + TRAILER as u64;
                    if end != length {
                        self.note(end, format!("it should end here, not at {length}"));
                    }
                    return;
                }
                Some(block) => {
                    offset = end_of(&block);
                    self.blocks.push(block);
                }
                None => {
                    let next = self.search(offset + 1);
                    let lost = next.unwrap_or(length) - offset;
                    self.note(
                        offset,
                        format!("no block begins here; {lost} bytes are lost"),
                    );
                    offset = next.unwrap_or(length);
                }
            }
        }
        self.note(length, "it is cut off: its index is missing");
    }

    /// The head at `offset`, if there is one whose body lies within the file.
    fn block_at(&self, offset: u64) -> Option<Block> {
        let head = BlockHead::decode(&read_bytes(&*self.source, offset, BLOCK_HEAD).ok()?)?;
        let block = Block { offset, head };
        let end = offset
            .checked_add(BLOCK_HEAD as u64)?
            .checked_add(head.stored_length)?;
        (end <= self.source.length()).then_some(block)
    }

    /// The next offset from `start` on where a good head lies.
    fn search(&self, start: u64) -> Option<u64> {
        const WINDOW: usize = 64 << 10;
        let magic = crate::format::BLOCK_MAGIC.to_le_bytes();
        let length = self.source.length();
        let mut offset = start;
        while offset < length {
            let count = (length - offset).min(WINDOW as u64) as usize;
            let window = read_bytes(&*self.source, offset, count).ok()?;
            for (place, bytes) in window.windows(magic.len()).enumerate() {
                let found = offset + place as u64;
                if bytes == magic && self.block_at(found).is_some() {
                    return Some(found);
                }
            }
            // Windows overlap, so that a magic on the seam is found.
            offset += (count.saturating_sub(magic.len() - 1)).max(1) as u64;
        }
        None
    }

    /// The body of a block as stored, checked.
    fn body(&self, block: &Block) -> Result<Vec<u8>, ReadError> {
        let offset = block.offset + BLOCK_HEAD as u64;
        let length = block.head.stored_length as usize;
        let body =
            read_bytes(&*self.source, offset, length).map_err(|source| ReadError::Unreadable {
                file: EVENTS_FILE,
                offset,
                source,
            })?;
        if crc32fast::hash(&body) != block.head.body_crc {
            return Err(damage(block, "the checksum of a block is wrong").into());
        }
        Ok(body)
    }

    /// Unpacks a block that is not a log.
    pub(crate) fn unpack_plain(&self, block: &Block) -> Result<Vec<u8>, ReadError> {
        let body = self.body(block)?;
        let packed = body.get(block.head.directory as usize..).unwrap_or(&[]);
        if block.head.packing != packing::ZSTD {
            return Err(damage(block, "a block is packed in an unknown way").into());
        }
        let raw = decompress(packed, block.head.raw_length);
        Ok(checked(block, raw)?)
    }

    fn read_tables(&mut self, path: &Path) -> Result<(), OpenError> {
        let damaged = |offset, reason| OpenError::Damaged {
            path: path.to_path_buf(),
            offset,
            reason,
        };
        let block = self
            .blocks
            .iter()
            .find(|block| block.head.kind == kind::TABLES);
        let block = *block.ok_or_else(|| {
            damaged(
                FILE_HEAD as u64,
                "its table of processes is missing".to_owned(),
            )
        })?;
        let bytes = self.unpack_plain(&block).map_err(|error| match error {
            ReadError::Damaged(damage) => damaged(damage.offset, damage.reason),
            other => damaged(block.offset, other.to_string()),
        })?;
        self.tables = Tables::decode(&bytes).ok_or_else(|| {
            damaged(
                block.offset,
                "its table of processes makes no sense".to_owned(),
            )
        })?;
        Ok(())
    }

    /// Reads which logs and payloads each block holds.
    fn read_directories(&mut self) {
        for index in 0..self.blocks.len() {
            let block = self.blocks[index];
            let head = block.head;
            if !matches!(head.kind, kind::LOG | kind::PAYLOADS) {
                continue;
            }
            let offset = block.offset + BLOCK_HEAD as u64;
            let directory = match read_bytes(&*self.source, offset, head.directory as usize) {
                Ok(directory) => directory,
                Err(error) => {
                    self.note(offset, error.to_string());
                    continue;
                }
            };
            let known = if head.kind == kind::LOG {
                Segment::decode_all(&directory, head.raw_length)
                    .map(|segments| drop(self.segments.insert(index, segments)))
            } else {
                decode_payload_directory(&directory, head.raw_length)
                    .map(|(first, lengths)| self.add_payloads(index, first, &lengths))
            };
            if known.is_none() {
                self.note(offset, "the directory of a block makes no sense");
            }
        }
        self.payloads.sort_by_key(|range| range.first);
    }

    fn add_payloads(&mut self, block: usize, first: u64, lengths: &[u64]) {
        let mut end = 0u64;
        // The sum was held against the length of the block.
        let ends = lengths.iter().map(|length| {
            end += length;
            end
        });
        self.payloads.push(PayloadRange {
            first,
            ends: ends.collect(),
            block,
        });
    }

    /// Sorts the parts of each log and sees that none is missing.
    fn join_parts(&mut self) {
        let mut found: HashMap<ThreadId, Vec<(u32, Part)>> = HashMap::new();
        for (block, segments) in &self.segments {
            let mut start = 0;
            for segment in segments {
                let part = Part {
                    block: *block,
                    start,
                    length: segment.length,
                };
                found
                    .entry(ThreadId(segment.thread))
                    .or_default()
                    .push((segment.part, part));
                start += segment.length;
            }
        }
        for row in 0..self.tables.threads.len() {
            let thread = self.tables.threads[row].id;
            let mut parts = found.remove(&thread).unwrap_or_default();
            parts.sort_by_key(|(number, part)| (*number, part.block));
            let good = (0..)
                .zip(&parts)
                .take_while(|(index, part)| part.0 == *index)
                .count();
            parts.truncate(good);
            let length: u64 = parts.iter().map(|(_, part)| part.length).sum();
            let promised = self.tables.threads[row].log_length;
            if length != promised {
                self.damage.push(Damage {
                    file: EVENTS_FILE,
                    offset: self.source.length(),
                    reason: format!(
                        "thread {thread} should have {promised} bytes of log, {length} are there"
                    ),
                    thread: Some(thread),
                    good_until: length,
                });
            }
            self.tables.threads[row].log_length = length;
            self.parts
                .insert(thread, parts.into_iter().map(|(_, part)| part).collect());
        }
    }

    fn read_facts(&mut self) {
        let block = self
            .blocks
            .iter()
            .find(|block| block.head.kind == kind::FACTS)
            .copied();
        let bytes = block.and_then(|block| self.unpack_plain(&block).ok());
        let mut processes = self.tables.processes.clone();
        let known = bytes.and_then(|bytes| facts::decode_into(&bytes, &mut processes));
        if known.is_some() {
            self.tables.processes = processes;
            self.has_facts = true;
        }
    }
}

fn end_of(block: &Block) -> u64 {
    // Heads are only accepted with a body within limits, so this cannot overflow.
    block.offset + BLOCK_HEAD as u64 + block.head.stored_length
}

fn damage(block: &Block, reason: impl Into<String>) -> Damage {
    Damage {
        file: EVENTS_FILE,
        offset: block.offset,
        reason: reason.into(),
        thread: None,
        good_until: 0,
    }
}

/// What a block unpacked to, if that is what was packed.
fn checked(block: &Block, raw: Result<Vec<u8>, String>) -> Result<Vec<u8>, Damage> {
    let raw = raw.map_err(|reason| damage(block, reason))?;
    if crc32fast::hash(&raw) != block.head.raw_crc {
        return Err(damage(
            block,
            "a block unpacks to other bytes than were packed",
        ));
    }
    Ok(raw)
}
