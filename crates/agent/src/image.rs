//! ELF images in a process's memory: where they are, their segments, their build id.
//!
//! Everything is read from the memory, not from files: the memory is what runs, also when the file has been replaced.

use wayfarer_ptrace::Memory;
use wayfarer_ptrace::process_files::Mapping;

/// A loaded segment, in addresses of the process.
#[derive(Clone, Debug)]
pub struct Segment {
    /// First address.
    pub low: u64,
    /// First address behind what the file fills or zeros extend.
    pub high: u64,
    /// Code.
    pub executable: bool,
}

/// An ELF file in memory.
#[derive(Clone, Debug)]
pub struct Image {
    /// The mapping's path.
    pub path: String,
    /// What is added to the file's own addresses.
    pub bias: u64,
    /// First address of its first segment.
    pub low: u64,
    /// First address behind its last.
    pub high: u64,
    /// Its loaded segments.
    pub segments: Vec<Segment>,
    /// The note's bytes; empty if it has none.
    pub build_id: Vec<u8>,
    /// Address of its dynamic section; zero if it has none.
    pub dynamic: u64,
    /// The range of its first mapping, as /proc/PID/map_files names it.
    pub first_mapping: (u64, u64),
}

const PROGRAM_LOAD: u32 = 1;
const PROGRAM_DYNAMIC: u32 = 2;
const PROGRAM_NOTE: u32 = 4;
const NOTE_BUILD_ID: u32 = 3;
/// More headers than any real file has.
const MOST_HEADERS: usize = 256;
const MOST_NOTE_BYTES: u64 = 1 << 16;

/// All ELF images that are mapped.
pub fn images(mappings: &[Mapping], memory: &Memory) -> Vec<Image> {
    mappings
        .iter()
        .filter(|mapping| mapping.offset == 0 && mapping.readable)
        .filter(|mapping| mapping.path.starts_with('/') || mapping.path == "[vdso]")
        .filter_map(|mapping| image_at(mapping, memory))
        .filter(|image| image.is_loaded(mappings))
        .collect()
}

impl Image {
    /// Whether its segments are mapped as such; a file that is only read through a mapping has no bias.
    fn is_loaded(&self, mappings: &[Mapping]) -> bool {
        let Some(code) = self.segments.iter().find(|segment| segment.executable) else {
            return false;
        };
        mappings
            .iter()
            .any(|mapping| mapping.executable && mapping.low <= code.low && code.low < mapping.high)
    }
}

/// The image that begins at a mapping.
pub fn image_at(mapping: &Mapping, memory: &Memory) -> Option<Image> {
    let mut image = image_at_address(mapping.low, memory)?;
    image.path = mapping.path.clone();
    image.first_mapping = (mapping.low, mapping.high);
    Some(image)
}

/// The image whose header is at an address.
pub fn image_at_address(base: u64, memory: &Memory) -> Option<Image> {
    let mut header = [0; 64];
    memory.read(base, &mut header).ok()?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = u64_at(&header, 32)?;
    let size = usize::from(u16_at(&header, 54)?);
    let count = usize::from(u16_at(&header, 56)?);
    if size < 56 || count > MOST_HEADERS {
        return None;
    }
    let mut headers = vec![0; size * count];
    memory.read(base.checked_add(table)?, &mut headers).ok()?;

    let headers: Vec<&[u8]> = headers.chunks_exact(size).collect();
    let first = headers
        .iter()
        .filter(|header| u32_at(header, 0) == Some(PROGRAM_LOAD))
        .filter_map(|header| u64_at(header, 16)?.checked_sub(u64_at(header, 8)?))
        .next()?;
    let bias = base.wrapping_sub(first);
    let mut image = Image {
        path: String::new(),
        bias,
        low: u64::MAX,
        high: 0,
        segments: Vec::new(),
        build_id: Vec::new(),
        dynamic: 0,
        first_mapping: (base, base),
    };
    for header in headers {
        let address = u64_at(header, 16)?.wrapping_add(bias);
        let length = u64_at(header, 40)?;
        match u32_at(header, 0)? {
            PROGRAM_LOAD => {
                let high = address.checked_add(length)?;
                image.low = image.low.min(address);
                image.high = image.high.max(high);
                image.segments.push(Segment {
                    low: address,
                    high,
                    executable: u32_at(header, 4)? & 1 != 0,
                });
            }
            PROGRAM_DYNAMIC => image.dynamic = address,
            PROGRAM_NOTE if image.build_id.is_empty() => {
                image.build_id = build_id(address, length, memory).unwrap_or_default();
            }
            _ => {}
        }
    }
    Some(image)
}

fn build_id(address: u64, length: u64, memory: &Memory) -> Option<Vec<u8>> {
    let mut notes = vec![0; length.min(MOST_NOTE_BYTES) as usize];
    memory.read(address, &mut notes).ok()?;
    let mut rest = notes.as_slice();
    loop {
        let name_size = u32_at(rest, 0)? as usize;
        let size = u32_at(rest, 4)? as usize;
        let kind = u32_at(rest, 8)?;
        let name_end = 12usize.checked_add(name_size)?;
        let start = name_end.checked_next_multiple_of(4)?;
        let end = start.checked_add(size)?;
        if kind == NOTE_BUILD_ID && rest.get(12..name_end)? == b"GNU\0" {
            return rest.get(start..end).map(<[u8]>::to_vec);
        }
        rest = rest.get(end.checked_next_multiple_of(4)?..)?;
    }
}

/// A number in a slice.
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// A number in a slice.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// A number in a slice.
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wayfarer_ptrace::{Tid, process_files};

    #[test]
    fn our_own_images_are_found() {
        let us = Tid(std::process::id() as i32);
        let memory = Memory::open(us).unwrap();
        let found = images(&process_files::maps(us), &memory);
        assert!(found.iter().any(|image| image.path == "[vdso]"));
        let here = our_own_images_are_found as fn() as usize as u64;
        let ours = found
            .iter()
            .find(|image| image.low <= here && here < image.high)
            .unwrap();
        assert!(ours.dynamic != 0);
    }
}
