//! What the ELF headers say: segments, sections, identity, frame tables.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use gimli::{BaseAddresses, EndianSlice, LittleEndian};
use object::read::Object;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf};

use crate::address::ModuleAddress;
use crate::error::SymbolsError;
use crate::image::Image;
use crate::module::Module;
use crate::unit::Reader;

/// A part of the file that is mapped into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub address: ModuleAddress,
    pub memory_size: u64,
    pub file_offset: u64,
    pub file_size: u64,
    pub is_executable: bool,
    pub is_writable: bool,
}

/// The template of the module's thread-local storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsSegment {
    pub address: ModuleAddress,
    pub memory_size: u64,
    pub alignment: u64,
}

/// A section of the file, as `info files` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    pub address: ModuleAddress,
    pub size: u64,
    pub is_executable: bool,
}

/// What is read from the headers when a module is loaded.
pub(crate) struct Headers {
    pub(crate) build_id: Option<Vec<u8>>,
    pub(crate) segments: Vec<Segment>,
    tls: Option<TlsSegment>,
    dynamic: Option<ModuleAddress>,
    interpreter: Option<PathBuf>,
    entry: ModuleAddress,
    is_position_independent: bool,
    /// The address of `.eh_frame_hdr` by its segment, which is there without section headers too.
    frame_header: Option<(u64, u64)>,
}

const PAGE: u64 = 4096;

impl Headers {
    pub(crate) fn read(image: &Image) -> Result<Headers, SymbolsError> {
        let elf = image.elf()?;
        let endian = Endianness::Little;
        let header = elf.elf_header();
        let mut headers = Headers {
            build_id: elf.build_id().ok().flatten().map(<[u8]>::to_vec),
            segments: Vec::new(),
            tls: None,
            dynamic: None,
            interpreter: None,
            entry: ModuleAddress(header.e_entry(endian)),
            is_position_independent: header.e_type(endian) == elf::ET_DYN,
            frame_header: None,
        };
        for program in elf.elf_program_headers() {
            let address = ModuleAddress(program.p_vaddr(endian));
            let flags = program.p_flags(endian);
            match program.p_type(endian) {
                elf::PT_LOAD => headers.segments.push(Segment {
                    address,
                    memory_size: program.p_memsz(endian),
                    file_offset: program.p_offset(endian),
                    file_size: program.p_filesz(endian),
                    is_executable: flags.0 & elf::PF_X.0 != 0,
                    is_writable: flags.0 & elf::PF_W.0 != 0,
                }),
                elf::PT_TLS => {
                    headers.tls = Some(TlsSegment {
                        address,
                        memory_size: program.p_memsz(endian),
                        alignment: program.p_align(endian),
                    });
                }
                elf::PT_DYNAMIC => headers.dynamic = Some(address),
                elf::PT_INTERP => {
                    headers.interpreter = program
                        .interpreter(endian, image.bytes())
                        .ok()
                        .flatten()
                        .map(|path| PathBuf::from(OsStr::from_bytes(path)));
                }
                elf::PT_GNU_EH_FRAME => {
                    headers.frame_header = Some((address.0, program.p_filesz(endian)));
                }
                _ => {}
            }
        }
        Ok(headers)
    }
}

impl Module {
    /// The GNU build id.
    pub fn build_id(&self) -> Option<&[u8]> {
        self.headers.build_id.as_deref()
    }

    /// Whether it can be mapped anywhere (PIE or shared library).
    pub fn is_position_independent(&self) -> bool {
        self.headers.is_position_independent
    }

    /// Where the program starts, if it is one.
    pub fn entry_point(&self) -> ModuleAddress {
        self.headers.entry
    }

    /// The dynamic loader that a program asks for.
    pub fn interpreter(&self) -> Option<&Path> {
        self.headers.interpreter.as_deref()
    }

    /// The segments to be mapped.
    pub fn segments(&self) -> &[Segment] {
        &self.headers.segments
    }

    /// The sections that are mapped.
    pub fn sections(&self) -> Vec<Section> {
        let mapped = self.image.sections.iter().filter(|s| s.is_allocated);
        mapped
            .map(|section| Section {
                name: section.name.clone(),
                address: ModuleAddress(section.address),
                size: section.size,
                is_executable: section.is_executable,
            })
            .collect()
    }

    /// Thread-local storage.
    pub fn tls_segment(&self) -> Option<TlsSegment> {
        self.headers.tls
    }

    /// Where the dynamic section is.
    pub fn dynamic_section(&self) -> Option<ModuleAddress> {
        self.headers.dynamic
    }

    /// The bias of a process that has mapped offset `file_offset` of this file at `map_start`.
    pub fn bias_of_mapping(&self, map_start: u64, file_offset: u64) -> Option<u64> {
        self.headers.segments.iter().find_map(|segment| {
            let first_page = segment.file_offset / PAGE * PAGE;
            let end = segment.file_offset.saturating_add(segment.file_size);
            if file_offset < first_page || file_offset >= end {
                return None;
            }
            let linked = segment
                .address
                .0
                .wrapping_sub(segment.file_offset)
                .wrapping_add(file_offset);
            Some(map_start.wrapping_sub(linked))
        })
    }

    /// Whether an address lies in a segment that can be executed.
    pub fn is_code(&self, address: ModuleAddress) -> bool {
        self.headers.segments.iter().any(|segment| {
            segment.is_executable
                && address.0.wrapping_sub(segment.address.0) < segment.memory_size
                && address >= segment.address
        })
    }

    /// Bytes of the file's image; `None` where it is not in the file (`.bss`) or not mapped.
    pub fn image_bytes(&self, address: ModuleAddress, length: usize) -> Option<&[u8]> {
        self.headers.segments.iter().find_map(|segment| {
            let inside = address.0.checked_sub(segment.address.0)?;
            let end = inside.checked_add(length as u64)?;
            if end > segment.file_size {
                return None;
            }
            let start = usize::try_from(segment.file_offset.checked_add(inside)?).ok()?;
            self.image.bytes().get(start..start.checked_add(length)?)
        })
    }

    /// The whole (uncompressed) section of this name and the address it is mapped at.
    pub fn section_data(&self, name: &str) -> Option<(ModuleAddress, &[u8])> {
        let entry = self.image.section_entry(name)?;
        Some((ModuleAddress(entry.address), self.image.section(name)?))
    }

    fn base_addresses(&self) -> BaseAddresses {
        let mut bases = BaseAddresses::default();
        for (name, set) in [
            (".eh_frame_hdr", BaseAddresses::set_eh_frame_hdr as Setter),
            (".eh_frame", BaseAddresses::set_eh_frame),
            (".text", BaseAddresses::set_text),
            (".got", BaseAddresses::set_got),
        ] {
            if let Some(entry) = self.image.section_entry(name) {
                bases = set(bases, entry.address);
            }
        }
        bases
    }

    /// `.eh_frame` of the module itself.
    pub fn eh_frame(&self) -> Option<(gimli::EhFrame<Reader<'_>>, BaseAddresses)> {
        let (_, bytes) = self.section_data(".eh_frame")?;
        Some((
            gimli::EhFrame::from(EndianSlice::new(bytes, LittleEndian)),
            self.base_addresses(),
        ))
    }

    /// `.eh_frame_hdr` of the module itself.
    pub fn eh_frame_hdr(&self) -> Option<(gimli::EhFrameHdr<Reader<'_>>, BaseAddresses)> {
        let mut bases = self.base_addresses();
        let bytes = match self.section_data(".eh_frame_hdr") {
            Some((_, bytes)) => bytes,
            None => {
                let (address, size) = self.headers.frame_header?;
                bases = bases.set_eh_frame_hdr(address);
                self.image_bytes(ModuleAddress(address), usize::try_from(size).ok()?)?
            }
        };
        Some((
            gimli::EhFrameHdr::from(EndianSlice::new(bytes, LittleEndian)),
            bases,
        ))
    }

    /// `.debug_frame` of the module or its debug file.
    pub fn debug_frame(&self) -> Option<gimli::DebugFrame<Reader<'_>>> {
        let images = [Some(&self.image), self.debug_image()];
        let bytes = images
            .into_iter()
            .flatten()
            .find_map(|image| image.section(".debug_frame").filter(|b| !b.is_empty()))?;
        let mut frame = gimli::DebugFrame::from(EndianSlice::new(bytes, LittleEndian));
        frame.set_address_size(8);
        Some(frame)
    }
}

type Setter = fn(BaseAddresses, u64) -> BaseAddresses;
