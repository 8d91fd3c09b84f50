//! The bytes of an index, the same in memory and in the cache file: a header, the entries in order
//! of their units, the entries in order of their names' hashes, a pool of strings.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;

use crate::mapping::Bytes;

/// What an entry of the index stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Namespace = 0,
    Function = 1,
    Type = 2,
    Variable = 3,
    Enumerator = 4,
    /// A copy of a function of another unit: `die` and `parent` are the function's offset and
    /// unit, `unit` is where the copy is.
    ForeignInline = 5,
}

impl Kind {
    fn from_byte(byte: u8) -> Kind {
        match byte {
            1 => Kind::Function,
            2 => Kind::Type,
            3 => Kind::Variable,
            4 => Kind::Enumerator,
            5 => Kind::ForeignInline,
            _ => Kind::Namespace,
        }
    }
}

/// Where the name of an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Place {
    Nowhere = 0,
    Strings = 1,
    Info = 2,
    LineStrings = 3,
    SupplementaryStrings = 4,
    SupplementaryInfo = 5,
    Pool = 6,
}

impl Place {
    fn from_byte(byte: u8) -> Place {
        match byte {
            1 => Place::Strings,
            2 => Place::Info,
            3 => Place::LineStrings,
            4 => Place::SupplementaryStrings,
            5 => Place::SupplementaryInfo,
            6 => Place::Pool,
            _ => Place::Nowhere,
        }
    }
}

pub(crate) const DECLARATION: u8 = 1;
pub(crate) const HAS_CODE: u8 = 2;
pub(crate) const INLINE: u8 = 4;

pub(crate) const NO_PARENT: u32 = u32::MAX;

/// One named thing of the debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) die: u32,
    pub(crate) unit: u32,
    /// The index of the entry that encloses it.
    pub(crate) parent: u32,
    pub(crate) name: u32,
    pub(crate) place: Place,
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
}

impl IndexEntry {
    pub(crate) fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

pub(crate) const ENTRY_SIZE: usize = 20;
const ORDER_SIZE: usize = 8;
const HEADER_SIZE: usize = 64;
const MAGIC: &[u8; 8] = b"wayfidx\0";
/// Where the checksum is; only that of a file counts.
const CHECKSUM: Range<usize> = 12..16;
/// Changes with every change of the format or of what is indexed.
const VERSION: u32 = 4;

/// Where the parts of an index are.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    entries: Range<usize>,
    order: Range<usize>,
    pool: Range<usize>,
}

/// What an index is written from.
#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) entries: Vec<IndexEntry>,
    /// Pairs of hash and entry, sorted.
    pub(crate) order: Vec<(u32, u32)>,
    pub(crate) pool: Vec<u8>,
}

impl Contents {
    /// Writes the index, without a checksum, piece by piece: it may be larger than what is left of the memory.
    pub(crate) fn write(&self, identity: &[u8; 16], out: &mut dyn Write) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(PIECE + HEADER_SIZE);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; CHECKSUM.end - CHECKSUM.start]);
        bytes.extend_from_slice(identity);
        for length in [self.entries.len(), self.order.len(), self.pool.len()] {
            bytes.extend_from_slice(&(length as u64).to_le_bytes());
        }
        bytes.resize(HEADER_SIZE, 0);
        for entry in &self.entries {
            for number in [entry.die, entry.unit, entry.parent, entry.name] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            bytes.extend_from_slice(&[entry.place as u8, entry.kind as u8, entry.flags, 0]);
            pass_on(&mut bytes, out)?;
        }
        for (hash, entry) in &self.order {
            bytes.extend_from_slice(&hash.to_le_bytes());
            bytes.extend_from_slice(&entry.to_le_bytes());
            pass_on(&mut bytes, out)?;
        }
        out.write_all(&bytes)?;
        out.write_all(&self.pool)
    }

    /// The whole index in memory.
    pub(crate) fn bytes(&self, identity: &[u8; 16]) -> Box<[u8]> {
        let size = HEADER_SIZE
            + self.entries.len() * ENTRY_SIZE
            + self.order.len() * ORDER_SIZE
            + self.pool.len();
        let mut bytes = Vec::with_capacity(size);
        // Nothing can go wrong in memory.
        let _ = self.write(identity, &mut bytes);
        bytes.into_boxed_slice()
    }

    /// The whole index in a file, with its checksum.
    pub(crate) fn store(&self, identity: &[u8; 16], file: &mut File) -> io::Result<()> {
        let mut summing = Summing {
            file,
            written: 0,
            hasher: crc32fast::Hasher::new(),
        };
        self.write(identity, &mut summing)?;
        let checksum = summing.hasher.finalize();
        file.seek(SeekFrom::Start(CHECKSUM.start as u64))?;
        file.write_all(&checksum.to_le_bytes())
    }
}

fn pass_on(bytes: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
    if bytes.len() >= PIECE {
        out.write_all(bytes)?;
        bytes.clear();
    }
    Ok(())
}

/// A file that sums up all that is written into it, but for the place of the checksum.
struct Summing<'file> {
    file: &'file mut File,
    written: usize,
    hasher: crc32fast::Hasher,
}

impl Write for Summing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        let written = &bytes[..count];
        let at = |place: usize| place.saturating_sub(self.written).min(count);
        self.hasher.update(&written[..at(CHECKSUM.start)]);
        self.hasher.update(&written[at(CHECKSUM.end)..]);
        self.written += count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// So much of an index is looked at at a time.
const PIECE: usize = 1 << 20;

/// The checksum of all but itself; `done` is called with each piece that is not needed any more.
fn checksum(bytes: &[u8], done: impl Fn(&[u8])) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM.start]);
    for piece in bytes[CHECKSUM.end..].chunks(PIECE) {
        hasher.update(piece);
        done(piece);
    }
    hasher.finalize()
}

/// Whether these bytes are a whole, undamaged index with this identity.
pub(crate) fn is_sound(bytes: &Bytes, identity: &[u8; 16]) -> bool {
    bytes.len() >= HEADER_SIZE
        && bytes.starts_with(MAGIC)
        && bytes[8..12] == VERSION.to_le_bytes()
        && bytes[16..32] == *identity
        // Few of its pages are ever needed again.
        && bytes[CHECKSUM] == checksum(bytes, |piece| bytes.forget(piece)).to_le_bytes()
}

impl Layout {
    /// Of an index without entries.
    pub(crate) fn empty() -> Layout {
        Layout {
            entries: 0..0,
            order: 0..0,
            pool: 0..0,
        }
    }

    /// Where the parts are, if they fit into the bytes.
    pub(crate) fn of(bytes: &[u8]) -> Option<Layout> {
        let number = |at: usize| {
            let eight = bytes.get(at..at + 8)?;
            usize::try_from(u64::from_le_bytes(eight.try_into().ok()?)).ok()
        };
        let entries = HEADER_SIZE..HEADER_SIZE.checked_add(number(32)?.checked_mul(ENTRY_SIZE)?)?;
        let order = entries.end
            ..entries
                .end
                .checked_add(number(40)?.checked_mul(ORDER_SIZE)?)?;
        let pool = order.end..order.end.checked_add(number(48)?)?;
        (pool.end <= bytes.len()).then_some(Layout {
            entries,
            order,
            pool,
        })
    }

    pub(crate) fn entry_count(&self) -> usize {
        self.entries.len() / ENTRY_SIZE
    }

    pub(crate) fn entry(&self, bytes: &[u8], index: u32) -> Option<IndexEntry> {
        let start = self.entries.start + index as usize * ENTRY_SIZE;
        if start >= self.entries.end {
            return None;
        }
        let entry: &[u8; ENTRY_SIZE] = bytes.get(start..start + ENTRY_SIZE)?.try_into().ok()?;
        let number = |at: usize| {
            u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]])
        };
        Some(IndexEntry {
            die: number(0),
            unit: number(4),
            parent: number(8),
            name: number(12),
            place: Place::from_byte(entry[16]),
            kind: Kind::from_byte(entry[17]),
            flags: entry[18],
        })
    }

    fn order_at(&self, bytes: &[u8], index: usize) -> Option<(u32, u32)> {
        let start = self.order.start + index * ORDER_SIZE;
        let pair: [u8; 8] = bytes.get(start..start + ORDER_SIZE)?.try_into().ok()?;
        let pair = u64::from_le_bytes(pair);
        Some((pair as u32, (pair >> 32) as u32))
    }

    /// The entries whose name has this hash.
    pub(crate) fn with_hash<'bytes>(
        &self,
        bytes: &'bytes [u8],
        hash: u32,
    ) -> impl Iterator<Item = u32> + use<'bytes, '_> {
        let (mut low, mut high) = (0, self.order.len() / ORDER_SIZE);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.order_at(bytes, middle) {
                Some((found, _)) if found < hash => low = middle + 1,
                _ => high = middle,
            }
        }
        (low..self.order.len() / ORDER_SIZE)
            .map_while(move |index| self.order_at(bytes, index))
            .take_while(move |(found, _)| *found == hash)
            .map(|(_, entry)| entry)
    }

    pub(crate) fn pool<'bytes>(&self, bytes: &'bytes [u8]) -> &'bytes [u8] {
        bytes.get(self.pool.clone()).unwrap_or(&[])
    }
}
