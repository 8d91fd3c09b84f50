//! The runtime library: carried inside this binary, handed to debuggees as an open file.
//!
//! It is unpacked into the cache once per version, under a name with its hash, so that debuggers find
//! a real file behind the mapping. Where the cache cannot be written a memory file does as well.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use nix::sys::memfd::{MFdFlags, memfd_create};
use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
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
    in_memory(BYTES)
}

fn in_memory(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create(c"libwayfarer_runtime.so", MFdFlags::empty())?);
    file.write_all(bytes)?;
    Ok(file)
}

/// The library without the mark that makes the loader start it before all others: for the test that sees
/// what the mark is good for.
pub fn open_for_a_late_start() -> io::Result<File> {
    in_memory(&without_early_start(BYTES).ok_or(io::ErrorKind::InvalidData)?)
}

/// Clears DF_1_INITFIRST in the dynamic section.
fn without_early_start(bytes: &[u8]) -> Option<Vec<u8>> {
    const ENTRY: usize = 16;
    const DT_FLAGS_1: u64 = 0x6fff_fffb;
    const DF_1_INITFIRST: u64 = 0x20;
    let header = FileHeader64::<LittleEndian>::parse(bytes).ok()?;
    let mut segments = header.program_headers(LittleEndian, bytes).ok()?.iter();
    let dynamic = segments.find(|segment| segment.p_type(LittleEndian) == elf::PT_DYNAMIC)?;
    let (offset, length) = dynamic.file_range(LittleEndian);
    let mut changed = bytes.to_vec();
    let entries = changed
        .get_mut(offset as usize..)?
        .get_mut(..length as usize)?;
    let wanted = entries
        .chunks_exact_mut(ENTRY)
        .find(|entry| entry.first_chunk().copied().map(u64::from_le_bytes) == Some(DT_FLAGS_1))?;
    let value = wanted.last_chunk_mut::<8>()?;
    *value = (u64::from_le_bytes(*value) & !DF_1_INITFIRST).to_le_bytes();
    Some(changed)
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
    fn a_late_start_differs_in_one_bit() {
        let late = without_early_start(BYTES).unwrap();
        let changed: u32 = BYTES
            .iter()
            .zip(&late)
            .map(|(before, after)| (before ^ after).count_ones())
            .sum();
        assert_eq!((late.len(), changed), (BYTES.len(), 1));
    }

    #[test]
    fn an_unwritable_cache_is_no_obstacle() {
        assert!(open_in(Path::new("/proc/no-such-place")).is_none());
        assert!(open_in_memory().is_ok());
    }
}
