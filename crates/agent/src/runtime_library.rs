//! The runtime library: carried inside this binary, handed to debuggees as an open file.
//!
//! It is unpacked into the cache once per version, under a name with its hash, so that debuggers find
//! a real file behind the mapping. Where the cache cannot be written a memory file does as well.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use nix::sys::memfd::{MFdFlags, memfd_create};
use wayfarer_sites::cache;

/// The library itself.
pub static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libwayfarer_runtime.so"));

/// Opens the library for reading.
pub fn open() -> io::Result<File> {
    match cache::directory().and_then(|directory| open_in(&directory)) {
        Some(file) => Ok(file),
        None => open_in_memory(),
    }
}

/// 64 bits of FNV-1a: names the file; its contents are compared in full before use.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn path_in(directory: &Path) -> PathBuf {
    directory
        .join("runtime")
        .join(format!("libwayfarer_runtime-{:016x}.so", hash(BYTES)))
}

fn open_in(directory: &Path) -> Option<File> {
    let path = path_in(directory);
    if let Some(file) = open_if_intact(&path) {
        return Some(file);
    }
    cache::write_atomically(&path, BYTES).ok()?;
    open_if_intact(&path)
}

/// Somebody may have changed or cut the file: whatever differs is written anew.
fn open_if_intact(path: &Path) -> Option<File> {
    let mut found = Vec::with_capacity(BYTES.len());
    let mut file = File::open(path).ok()?;
    file.read_to_end(&mut found).ok()?;
    (found == BYTES).then_some(file)
}

fn open_in_memory() -> io::Result<File> {
    let mut file = File::from(memfd_create(c"libwayfarer_runtime.so", MFdFlags::empty())?);
    file.write_all(BYTES)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacking_repairs_a_damaged_file() {
        let directory = tempfile::tempdir().unwrap();
        assert!(open_in(directory.path()).is_some());
        let path = path_in(directory.path());
        assert_eq!(std::fs::read(&path).unwrap(), BYTES);
        std::fs::write(&path, b"damaged").unwrap();
        assert!(open_in(directory.path()).is_some());
        assert_eq!(std::fs::read(&path).unwrap(), BYTES);
    }

    #[test]
    fn an_unwritable_cache_is_no_obstacle() {
        assert!(open_in(Path::new("/proc/no-such-place")).is_none());
        assert!(open_in_memory().is_ok());
    }
}
