//! The parts of an ELF file that matter here: its code, its read-only data, known code addresses.

use std::fs::File;
use std::path::Path;

use object::elf;
use object::read::elf::{ElfFile64, FileHeader};
use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol, ReadCache, ReadRef, RelocationTarget,
    SectionFlags,
};

use crate::{SitesError, covered};

/// A run of bytes with its address relative to the load address of the module.
pub struct Section {
    pub address: u64,
    pub bytes: Vec<u8>,
}

impl Section {
    pub fn contains(&self, address: u64) -> bool {
        address >= self.address && address - self.address < self.bytes.len() as u64
    }
}

/// A function that the module exports.
pub struct Function {
    pub name: String,
    pub address: u64,
}

/// A module as read from a file or from memory.
pub struct Image {
    pub build_id: Vec<u8>,
    pub code: Vec<Section>,
    /// Where jump tables may lie.
    pub constants: Vec<Section>,
    pub functions: Vec<Function>,
    /// Start and end of the functions that have unwind information, in order.
    pub covered: Vec<(u64, u64)>,
    /// Addresses in relocations: pointers to functions, some perhaps into functions.
    pub pointers: Vec<u64>,
}

impl Image {
    pub fn read(path: &Path) -> Result<Self, SitesError> {
        let bytes = std::fs::read(path).map_err(|source| SitesError::Unreadable {
            path: path.into(),
            source,
        })?;
        Self::parse(&bytes).map_err(|reason| SitesError::NotElf {
            path: path.into(),
            reason,
        })
    }

    /// Reads the image of a shared object or program.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let file = open(bytes)?;
        let mut image = Self {
            build_id: file.build_id().ok().flatten().unwrap_or_default().to_vec(),
            code: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            covered: Vec::new(),
            pointers: Vec::new(),
        };
        let named = |name: &str| {
            let section = file.section_by_name(name)?;
            Some(Section {
                address: section.address(),
                bytes: section.data().ok()?.to_vec(),
            })
        };
        if let (Some(header), Some(frames)) = (named(".eh_frame_hdr"), named(".eh_frame")) {
            image.covered = covered::ranges(&header, &frames);
        }
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
                continue;
            };
            if !sh_flags.contains(elf::SHF_ALLOC) {
                continue;
            }
            let Ok(data) = section.data() else { continue };
            let part = Section {
                address: section.address(),
                bytes: data.to_vec(),
            };
            if sh_flags.contains(elf::SHF_EXECINSTR) {
                image.code.push(part);
            } else if !sh_flags.contains(elf::SHF_WRITE)
                && section.name().is_ok_and(|name| name.starts_with(".rodata"))
            {
                image.constants.push(part);
            }
        }
        for symbol in file.dynamic_symbols().chain(file.symbols()) {
            if symbol.kind() == object::SymbolKind::Text && symbol.is_definition() {
                let name = symbol.name().unwrap_or_default().to_owned();
                image.functions.push(Function {
                    name,
                    address: symbol.address(),
                });
            }
        }
        for (_, relocation) in file.dynamic_relocations().into_iter().flatten() {
            if relocation.target() == RelocationTarget::Absolute {
                image.pointers.push(relocation.addend() as u64);
            }
        }
        Ok(image)
    }

    pub fn code_at(&self, address: u64) -> Option<&Section> {
        self.code.iter().find(|section| section.contains(address))
    }
}

fn open<'data, R: ReadRef<'data>>(data: R) -> Result<ElfFile64<'data, LittleEndian, R>, String> {
    let file = ElfFile64::<LittleEndian, R>::parse(data).map_err(|error| error.to_string())?;
    if file.elf_header().e_machine(LittleEndian) != elf::EM_X86_64 {
        return Err("made for another processor".to_owned());
    }
    Ok(file)
}

/// The build id of an ELF file, reading only its headers and notes. `None`: it carries none.
pub fn build_id_of(path: &Path) -> Result<Option<Vec<u8>>, SitesError> {
    let file = File::open(path).map_err(|source| SitesError::Unreadable {
        path: path.into(),
        source,
    })?;
    let cache = ReadCache::new(file);
    let elf = open(&cache).map_err(|reason| SitesError::NotElf {
        path: path.into(),
        reason,
    })?;
    Ok(elf.build_id().ok().flatten().map(<[u8]>::to_vec))
}

/// The same for a file whose bytes are at hand.
pub fn build_id_in(bytes: &[u8]) -> Option<Vec<u8>> {
    open(bytes)
        .ok()?
        .build_id()
        .ok()
        .flatten()
        .map(<[u8]>::to_vec)
}
