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

    /// Gives back the memory that holds a part of a file's bytes; it is read again when it is looked at.
    pub(crate) fn forget(&self, part: &[u8]) {
        let Bytes::Mapped(map) = self else { return };
        let start = (part.as_ptr() as usize).wrapping_sub(map.as_ptr() as usize);
        if start >= map.len() || part.len() > map.len() - start {
            return;
        }
        // SAFETY: the mapping is private and never written to, so what comes back from the file is what was there;
        // a thread that reads at this moment just waits for it.
        let advised = unsafe {
            map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, part.len())
        };
        // Memory that stays costs nothing but memory.
        let _ = advised;
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
