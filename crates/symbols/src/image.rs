//! One ELF file in memory: its headers and sections, compressed ones unpacked when asked for.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use object::read::elf::ElfFile64;
use object::read::{CompressedData, CompressionFormat, Object, ObjectSection};
use object::{Endianness, elf};

use crate::error::SymbolsError;
use crate::mapping::Bytes;

/// No compressor makes more than this many bytes out of one: a larger claim is a lie.
const LARGEST_RATIO: u64 = 2048;

pub(crate) type Elf<'data> = ElfFile64<'data, Endianness>;

/// A section as the header table describes it.
pub(crate) struct SectionEntry {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) is_allocated: bool,
    pub(crate) is_executable: bool,
    compression: CompressionFormat,
    uncompressed_size: u64,
    /// Of the (compressed) bytes in the file; empty for `.bss`.
    bytes: Range<usize>,
    /// What a compressed section unpacks to.
    unpacked: OnceLock<Option<Box<[u8]>>>,
}

/// One ELF file in memory.
pub(crate) struct Image {
    pub(crate) path: PathBuf,
    pub(crate) sections: Vec<SectionEntry>,
    by_name: HashMap<String, usize>,
    bytes: Bytes,
}

impl Image {
    pub(crate) fn open(path: &Path) -> Result<Image, SymbolsError> {
        let bytes = Bytes::map(path).map_err(|error| SymbolsError::Unreadable {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        Image::parse(path, bytes)
    }

    pub(crate) fn parse(path: &Path, bytes: Bytes) -> Result<Image, SymbolsError> {
        let not_elf = |reason: String| SymbolsError::NotElf {
            path: path.to_owned(),
            reason,
        };
        if !bytes.starts_with(&elf::ELFMAG) {
            return Err(not_elf("it does not start with the ELF magic".to_owned()));
        }
        // Class, byte order and machine lie at fixed places of every ELF header.
        let machine = bytes.get(18..20).map(|two| [two[0], two[1]]);
        if bytes.get(4..6) != Some(&[elf::ELFCLASS64.0, elf::ELFDATA2LSB.0])
            || machine != Some(elf::EM_X86_64.0.to_le_bytes())
        {
            return Err(SymbolsError::OtherMachine {
                path: path.to_owned(),
            });
        }
        let elf = Elf::parse(&*bytes).map_err(|error| not_elf(error.to_string()))?;
        let mut sections = Vec::new();
        let mut by_name = HashMap::new();
        for section in elf.sections() {
            let Ok(name) = section.name() else { continue };
            // Old GNU compression says so by the name only.
            let name = match name.strip_prefix(".zdebug_") {
                Some(rest) => format!(".debug_{rest}"),
                None => name.to_owned(),
            };
            let flags = match section.flags() {
                object::SectionFlags::Elf { sh_flags, .. } => sh_flags.0,
                _ => 0,
            };
            let compressed = section
                .compressed_data()
                .unwrap_or(CompressedData::none(&[]));
            by_name.entry(name.clone()).or_insert(sections.len());
            sections.push(SectionEntry {
                name,
                address: section.address(),
                size: section.size(),
                is_allocated: flags & elf::SHF_ALLOC.0 != 0,
                is_executable: flags & elf::SHF_EXECINSTR.0 != 0,
                compression: compressed.format,
                uncompressed_size: compressed.uncompressed_size,
                bytes: range_in(&bytes, compressed.data),
                unpacked: OnceLock::new(),
            });
        }
        drop(elf);
        Ok(Image {
            path: path.to_owned(),
            sections,
            by_name,
            bytes,
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives back the memory that holds a part of the file's bytes.
    pub(crate) fn forget(&self, part: &[u8]) {
        self.bytes.forget(part);
    }

    /// The parsed headers.
    pub(crate) fn elf(&self) -> Result<Elf<'_>, SymbolsError> {
        Elf::parse(&*self.bytes).map_err(|error| SymbolsError::NotElf {
            path: self.path.clone(),
            reason: error.to_string(),
        })
    }

    pub(crate) fn section_entry(&self, name: &str) -> Option<&SectionEntry> {
        self.sections.get(*self.by_name.get(name)?)
    }

    /// Unpacks all compressed debug sections at once, which takes long one by one.
    pub(crate) fn unpack_debug_sections(&self) {
        std::thread::scope(|scope| {
            for section in &self.sections {
                if section.name.starts_with(".debug_")
                    && section.compression != CompressionFormat::None
                {
                    scope.spawn(|| self.section(&section.name));
                }
            }
        });
    }

    /// The (uncompressed) bytes of a section; `None` if it is not there or cannot be unpacked.
    pub(crate) fn section(&self, name: &str) -> Option<&[u8]> {
        let index = *self.by_name.get(name)?;
        let entry = self.sections.get(index)?;
        let raw = self.bytes.get(entry.bytes.clone())?;
        if entry.compression == CompressionFormat::None {
            return Some(raw);
        }
        let unpacked = entry.unpacked.get_or_init(|| unpack(entry, raw));
        unpacked.as_deref()
    }
}

fn unpack(entry: &SectionEntry, raw: &[u8]) -> Option<Box<[u8]>> {
    let most = (raw.len() as u64).checked_mul(LARGEST_RATIO)?;
    if entry.uncompressed_size > most {
        return None;
    }
    let compressed = CompressedData {
        format: entry.compression,
        data: raw,
        uncompressed_size: entry.uncompressed_size,
    };
    let unpacked = compressed.decompress().ok()?;
    Some(unpacked.into_owned().into_boxed_slice())
}

/// Where a part of the file's bytes lies in them.
fn range_in(whole: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    match start.checked_add(part.len()) {
        Some(end) if start < whole.len() && end <= whole.len() => start..end,
        _ => 0..0,
    }
}
