//! Little-endian fields and varints, read with bounds and written to a growing buffer.

use wayfarer_runtime_abi::encode::get_varint;

/// Reads fields one after the other; `None` at the end of the bytes.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or(&[])
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.position.checked_add(length)?;
        let taken = self.bytes.get(self.position..end)?;
        self.position = end;
        Some(taken)
    }

    pub(crate) fn varint(&mut self) -> Option<u64> {
        let (value, next) = get_varint(self.bytes, self.position)?;
        self.position = next;
        Some(value)
    }

    /// A varint that must fit.
    pub(crate) fn varint_u32(&mut self) -> Option<u32> {
        u32::try_from(self.varint()?).ok()
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        u32_at(self.take(4)?, 0)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        u64_at(self.take(8)?, 0)
    }

    /// A varint length and that many bytes.
    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        self.take(length)
    }
}

pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let field = bytes.get(offset..offset.checked_add(4)?)?;
    Some(u32::from_le_bytes(field.try_into().ok()?))
}

pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let field = bytes.get(offset..offset.checked_add(8)?)?;
    Some(u64::from_le_bytes(field.try_into().ok()?))
}

pub(crate) fn push_varint(buffer: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        buffer.push(value as u8 | 0x80);
        value >>= 7;
    }
    buffer.push(value as u8);
}

pub(crate) fn push_string(buffer: &mut Vec<u8>, bytes: &[u8]) {
    push_varint(buffer, bytes.len() as u64);
    buffer.extend_from_slice(bytes);
}

/// Reserves like `Vec::with_capacity`, but never more than a fixed amount for a count that a file
/// merely claims.
pub(crate) fn modest_capacity(claimed: u64) -> usize {
    claimed.min(4096) as usize
}
