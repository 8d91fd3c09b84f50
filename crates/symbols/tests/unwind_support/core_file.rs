//! A core file as an address space: memory from its segments and from the files it names.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};

use wayfarer_symbols::location::{Memory, Unreadable};
use wayfarer_symbols::registers::{Register, Registers};
use wayfarer_symbols::unwind::{AddressSpace, LoadedModule, ModuleMap};
use wayfarer_symbols::{LoadOptions, Module};

pub struct CoreFile {
    memory: CoreMemory,
    modules: ModuleMap,
    /// Thread ids and registers.
    pub threads: Vec<(u64, Registers)>,
}

struct Mapped {
    start: u64,
    end: u64,
    file_offset: u64,
    path: PathBuf,
}

struct CoreMemory {
    data: Vec<u8>,
    /// Address, offset in the core file, size.
    segments: Vec<(u64, usize, usize)>,
    mapped: Vec<Mapped>,
    files: HashMap<PathBuf, Vec<u8>>,
}

/// The order of the registers in `NT_PRSTATUS`.
const PRSTATUS: [Register; 18] = [
    Register::R15,
    Register::R14,
    Register::R13,
    Register::R12,
    Register::RBP,
    Register::RBX,
    Register::R11,
    Register::R10,
    Register::R9,
    Register::R8,
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register(99),
    Register::RIP,
    Register::CS,
];

fn word(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"))
}

impl CoreFile {
    pub fn load(path: &Path, options: &LoadOptions) -> CoreFile {
        let data = fs::read(path).expect("the core file can be read");
        let mut segments = Vec::new();
        let mut threads = Vec::new();
        let mut mapped = Vec::new();
        let mut vdso = None;
        {
            let header = FileHeader64::<Endianness>::parse(&*data).expect("an ELF header");
            let endian = header.endian().expect("an endianness");
            for segment in header.program_headers(endian, &*data).expect("segments") {
                if segment.p_type(endian) == elf::PT_LOAD {
                    segments.push((
                        segment.p_vaddr(endian),
                        segment.p_offset(endian) as usize,
                        segment.p_filesz(endian) as usize,
                    ));
                }
                let Ok(Some(mut notes)) = segment.notes(endian, &*data) else {
                    continue;
                };
                while let Ok(Some(note)) = notes.next() {
                    match note.n_type(endian).0 {
                        1 => threads.push(thread(note.desc())),
                        2 => {
                            if let Some((_, registers)) = threads.last_mut() {
                                vectors(note.desc(), registers);
                            }
                        }
                        6 => vdso = auxiliary(note.desc(), 33),
                        0x4649_4c45 => mapped = mappings(note.desc()),
                        _ => {}
                    }
                }
            }
        }
        let files: HashMap<PathBuf, Vec<u8>> = mapped
            .iter()
            .filter_map(|file: &Mapped| Some((file.path.clone(), fs::read(&file.path).ok()?)))
            .collect();
        let memory = CoreMemory {
            data,
            segments,
            mapped,
            files,
        };
        let modules = modules(&memory, vdso, options);
        CoreFile {
            memory,
            modules,
            threads,
        }
    }
}

fn thread(note: &[u8]) -> (u64, Registers) {
    let id = u64::from(u32::from_le_bytes(note[32..36].try_into().expect("a pid")));
    let base = 112;
    let mut registers = Registers::unknown();
    for (index, register) in PRSTATUS.iter().enumerate() {
        registers.set(*register, word(note, base + index * 8));
    }
    registers.set(Register::EFLAGS, word(note, base + 18 * 8));
    registers.set(Register::RSP, word(note, base + 19 * 8));
    registers.set(Register::SS, word(note, base + 20 * 8));
    registers.set(Register::FS_BASE, word(note, base + 21 * 8));
    registers.set(Register::GS_BASE, word(note, base + 22 * 8));
    (id, registers)
}

fn vectors(note: &[u8], registers: &mut Registers) {
    for index in 0..16 {
        let at = 160 + index * 16;
        let value = u128::from_le_bytes(note[at..at + 16].try_into().expect("a vector"));
        registers.set_wide(Register(17 + index as u16), value);
    }
}

fn auxiliary(note: &[u8], wanted: u64) -> Option<u64> {
    note.chunks_exact(16)
        .find(|pair| word(pair, 0) == wanted)
        .map(|pair| word(pair, 8))
}

fn mappings(note: &[u8]) -> Vec<Mapped> {
    let count = word(note, 0) as usize;
    let page = word(note, 8);
    let mut names = note[16 + count * 24..].split(|byte| *byte == 0);
    (0..count)
        .map(|index| {
            let at = 16 + index * 24;
            let name = names.next().expect("a name for each mapping");
            Mapped {
                start: word(note, at),
                end: word(note, at + 8),
                file_offset: word(note, at + 16) * page,
                path: PathBuf::from(String::from_utf8_lossy(name).into_owned()),
            }
        })
        .collect()
}

fn modules(memory: &CoreMemory, vdso: Option<u64>, options: &LoadOptions) -> ModuleMap {
    let mut map = ModuleMap::default();
    let mut seen: Vec<&Path> = Vec::new();
    for mapping in &memory.mapped {
        if seen.contains(&mapping.path.as_path()) {
            continue;
        }
        seen.push(&mapping.path);
        let Ok(module) = Module::load(&mapping.path, options) else {
            continue;
        };
        let Some(bias) = module.bias_of_mapping(mapping.start, mapping.file_offset) else {
            continue;
        };
        let end = memory
            .mapped
            .iter()
            .filter(|other| other.path == mapping.path)
            .map(|other| other.end)
            .max()
            .unwrap_or(mapping.end);
        map.add(LoadedModule::new(module, bias), mapping.start..end);
    }
    if let Some(start) = vdso {
        let mut bytes = vec![0; 2 * 4096];
        while !bytes.is_empty() && memory.read(start, &mut bytes).is_err() {
            bytes.truncate(bytes.len() - 4096);
        }
        let length = bytes.len() as u64;
        if let Ok(module) = Module::from_bytes("linux-vdso.so.1", bytes, options) {
            map.add(LoadedModule::new(module, start), start..start + length);
        }
    }
    map
}

impl Memory for CoreMemory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let mut at = address;
        let end = address
            .checked_add(buffer.len() as u64)
            .ok_or(Unreadable { address })?;
        while at < end {
            let bytes = self.at(at).ok_or(Unreadable { address: at })?;
            let done = (at - address) as usize;
            let count = bytes.len().min(buffer.len() - done);
            buffer[done..done + count].copy_from_slice(&bytes[..count]);
            at += count as u64;
        }
        Ok(())
    }
}

impl CoreMemory {
    /// The bytes from this address to the end of its segment.
    fn at(&self, address: u64) -> Option<&[u8]> {
        for (start, offset, size) in &self.segments {
            if *start <= address && address < start + *size as u64 {
                let skipped = (address - start) as usize;
                return self.data.get(offset + skipped..offset + size);
            }
        }
        for mapping in &self.mapped {
            if mapping.start <= address && address < mapping.end {
                let file = self.files.get(&mapping.path)?;
                let first = (mapping.file_offset + address - mapping.start) as usize;
                let last = (mapping.file_offset + mapping.end - mapping.start) as usize;
                return file
                    .get(first..last.min(file.len()))
                    .filter(|bytes| !bytes.is_empty());
            }
        }
        None
    }
}

impl AddressSpace for CoreFile {
    fn memory(&self) -> &dyn Memory {
        &self.memory
    }

    fn module_at(&self, address: u64) -> Option<LoadedModule> {
        self.modules.at(address).cloned()
    }

    fn modules(&self) -> Vec<LoadedModule> {
        self.modules.all().to_vec()
    }
}
