//! The bytes of files: mapped, not read, and never trusted.

use std::fs::File;
use std::ops::Deref;
use std::path::Path;

/// The bytes of one file, which never move while this is alive.
pub(crate) enum Bytes {
    Mapped(memmap2::Mmap),
    Owned(Box<[u8]>),
}

impl Bytes {
    /// Maps a file. Directories, devices and pipes are refused.
    pub(crate) fn map(path: &Path) -> std::io::Result<Bytes> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(std::io::Error::other("not a regular file"));
        }
        if metadata.len() == 0 {
            return Ok(Bytes::Owned(Box::default()));
        }
        // SAFETY: the mapping is private and only read. Build tools replace files instead of
        // rewriting them, so the bytes do not change under us; no parser here relies on a value
        // staying as it was checked beyond memory safety of slices, which the mapping keeps.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Bytes::Mapped(map))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}
