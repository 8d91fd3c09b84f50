//! Where bytes come from: a file, or memory in tests and fuzzing.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes that can be read at any offset. Reads, not mappings: a file that is cut while we
/// read gives an error then, not a fault.
pub trait Source: Send + Sync {
    fn length(&self) -> u64;
    /// Fills `buffer` from `offset`; an error when the bytes end before.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Bytes of storage that it takes.
    fn stored_bytes(&self) -> u64;
}

/// A file, with the length that it had when it was opened.
pub(crate) struct FileSource {
    file: File,
    length: u64,
    stored: u64,
}

impl FileSource {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        Ok(Self {
            file,
            length: metadata.len(),
            stored: metadata.blocks().saturating_mul(512),
        })
    }
}

impl Source for FileSource {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    fn stored_bytes(&self) -> u64 {
        self.stored
    }
}

/// A mostly empty file in memory: extents, with zeros between them.
#[derive(Clone, Debug, Default)]
pub struct Sparse {
    extents: BTreeMap<u64, Vec<u8>>,
    length: u64,
}

impl Sparse {
    pub fn new(length: u64) -> Self {
        Self {
            extents: BTreeMap::new(),
            length,
        }
    }

    /// Puts `bytes` at `offset`, over what is there. Extents that it overlaps only in part keep
    /// their other bytes.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut start = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let before = self.extents.range_mut(..=start).next_back();
            if let Some((first, extent)) = before
                && start < first + extent.len() as u64
            {
                let within = (start - first) as usize;
                let count = rest.len().min(extent.len() - within);
                extent[within..within + count].copy_from_slice(&rest[..count]);
                start += count as u64;
                rest = &rest[count..];
                continue;
            }
            let gap = match self.extents.range(start..).next() {
                Some((next, _)) => (next - start).min(rest.len() as u64) as usize,
                None => rest.len(),
            };
            self.extents.insert(start, rest[..gap].to_vec());
            start += gap as u64;
            rest = &rest[gap..];
        }
        self.length = self.length.max(offset + bytes.len() as u64);
    }

    /// Makes the file at least `length` bytes long.
    pub fn extend_to(&mut self, length: u64) {
        self.length = self.length.max(length);
    }

    /// Forgets everything from `length` on.
    pub fn truncate(&mut self, length: u64) {
        self.length = self.length.min(length);
        self.extents.retain(|start, _| *start < length);
        if let Some((start, extent)) = self.extents.iter_mut().next_back() {
            extent.truncate((length - start).min(extent.len() as u64) as usize);
        }
    }

    /// Offset and bytes of each extent.
    pub fn extents(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.extents
            .iter()
            .map(|(start, extent)| (*start, extent.as_slice()))
    }

    /// Writes a sparse file of the same content.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let file = File::create(path)?;
        file.set_len(self.length)?;
        for (start, extent) in &self.extents {
            file.write_all_at(extent, *start)?;
        }
        Ok(())
    }
}

impl Source for Sparse {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset
            .checked_add(buffer.len() as u64)
            .filter(|end| *end <= self.length);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.fill(0);
        let first = self
            .extents
            .range(..=offset)
            .next_back()
            .map_or(offset, |(start, _)| *start);
        for (start, extent) in self.extents.range(first..end) {
            let from = offset.max(*start);
            let to = end.min(start + extent.len() as u64);
            if from < to {
                buffer[(from - offset) as usize..(to - offset) as usize]
                    .copy_from_slice(&extent[(from - start) as usize..(to - start) as usize]);
            }
        }
        Ok(())
    }

    fn stored_bytes(&self) -> u64 {
        self.extents
            .values()
            .map(|extent| extent.len() as u64)
            .sum()
    }
}

impl Source for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let wanted = usize::try_from(offset)
            .ok()
            .and_then(|start| self.get(start..start.checked_add(buffer.len())?));
        buffer.copy_from_slice(wanted.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn stored_bytes(&self) -> u64 {
        self.len() as u64
    }
}

/// Reads `length` bytes at `offset`. The caller has held `length` against the source's own.
pub(crate) fn read_bytes(source: &dyn Source, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    if offset
        .checked_add(length as u64)
        .is_none_or(|end| end > source.length())
    {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut buffer = vec![0; length];
    source.read_at(offset, &mut buffer)?;
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_reads_what_was_written() {
        let mut sparse = Sparse::new(100);
        sparse.write(10, b"hello");
        sparse.write(20, b"world");
        sparse.write(13, b"LOWER-WO");
        assert_eq!(
            read_bytes(&sparse, 8, 20).expect("within"),
            b"\0\0helLOWER-WOorld\0\0\0"
        );
        sparse.truncate(22);
        assert_eq!(
            read_bytes(&sparse, 18, 4).expect("within"),
            b"-WOo"[..].to_vec()
        );
        assert!(read_bytes(&sparse, 18, 5).is_err());
    }
}
