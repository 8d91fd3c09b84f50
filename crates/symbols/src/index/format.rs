//! The bytes of an index, the same in memory and in the cache file: a header, the entries in order
//! of their units, the entries in order of their names' hashes, a pool of strings.

use std::ops::Range;

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
/// Changes with every change of the format or of what is indexed.
const VERSION: u32 = 2;

/// Where the parts of an index are.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    entries: Range<usize>,
    order: Range<usize>,
    pool: Range<usize>,
}

/// Writes an index. `order` holds pairs of hash and entry, sorted.
pub(crate) fn write(
    entries: &[IndexEntry],
    order: &[(u32, u32)],
    pool: &[u8],
    identity: &[u8; 16],
) -> Vec<u8> {
    let size = HEADER_SIZE + entries.len() * ENTRY_SIZE + order.len() * ORDER_SIZE + pool.len();
    let mut bytes = Vec::with_capacity(size);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&0u32.to_le_bytes());
    bytes.extend_from_slice(identity);
    bytes.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(order.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(pool.len() as u64).to_le_bytes());
    bytes.resize(HEADER_SIZE, 0);
    for entry in entries {
        for number in [entry.die, entry.unit, entry.parent, entry.name] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&[entry.place as u8, entry.kind as u8, entry.flags, 0]);
    }
    for (hash, entry) in order {
        bytes.extend_from_slice(&hash.to_le_bytes());
        bytes.extend_from_slice(&entry.to_le_bytes());
    }
    bytes.extend_from_slice(pool);
    bytes
}

/// Puts the checksum in, which only the file needs.
pub(crate) fn seal(bytes: &mut [u8]) {
    let checksum = checksum(bytes);
    bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..12]);
    hasher.update(&bytes[16..]);
    hasher.finalize()
}

/// Whether these bytes are a whole, undamaged index with this identity.
pub(crate) fn is_sound(bytes: &[u8], identity: &[u8; 16]) -> bool {
    bytes.len() >= HEADER_SIZE
        && bytes.starts_with(MAGIC)
        && bytes[8..12] == VERSION.to_le_bytes()
        && bytes[16..32] == *identity
        && bytes[12..16] == checksum(bytes).to_le_bytes()
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
