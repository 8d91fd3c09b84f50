//! The symbol tables of the ELF file: names by address and addresses by name.

use std::ops::Range;

use object::read::elf::{SectionHeader, Sym};
use object::{Endianness, elf};

use crate::address::ModuleAddress;
use crate::demangle::demangle;
use crate::image::Image;
use crate::module::Module;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    Function,
    /// A function that chooses the function to call (`IFUNC`).
    IndirectFunction,
    Data,
    /// `address` is an offset in the module's thread-local storage.
    ThreadLocal,
    /// A stub of the procedure linkage table, named as the function it calls.
    Plt,
    Other,
}

/// One symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'module> {
    /// As in the file: mangled, without a version.
    pub name: &'module str,
    pub address: ModuleAddress,
    pub size: u64,
    pub kind: SymbolKind,
    pub is_global: bool,
}

impl Symbol<'_> {
    /// Whether code is at its address.
    pub fn is_code(&self) -> bool {
        matches!(
            self.kind,
            SymbolKind::Function | SymbolKind::IndirectFunction | SymbolKind::Plt
        )
    }
}

/// All symbols of a module.
#[derive(Default)]
pub(crate) struct SymbolTable {
    /// Sorted by address; of those at one address the best comes last. Thread-local ones come
    /// after all others.
    symbols: Vec<Stored>,
    /// How many have an address.
    addressed: usize,
}

struct Stored {
    address: u64,
    size: u64,
    name: Range<usize>,
    /// The name is in the separate debug file.
    is_separate: bool,
    kind: SymbolKind,
    is_global: bool,
}

impl SymbolTable {
    fn build(module: &Module) -> SymbolTable {
        let mut table = SymbolTable::default();
        let mut has_full_table = table.read(&module.image, elf::SHT_SYMTAB, false);
        if !has_full_table && let Some(image) = module.debug_image() {
            has_full_table = table.read(image, elf::SHT_SYMTAB, true);
        }
        if !has_full_table {
            table.read(&module.image, elf::SHT_DYNSYM, false);
        }
        table.read_plt(&module.image);
        table.symbols.sort_by_key(|symbol| {
            let is_local_storage = symbol.kind == SymbolKind::ThreadLocal;
            let quality = (
                symbol.size > 0,
                symbol.kind != SymbolKind::Other,
                symbol.is_global,
            );
            (is_local_storage, symbol.address, quality)
        });
        table.addressed = table
            .symbols
            .partition_point(|symbol| symbol.kind != SymbolKind::ThreadLocal);
        table
    }

    /// Reads a symbol table; whether there was one with symbols in it.
    fn read(&mut self, image: &Image, kind: elf::SectionType, is_separate: bool) -> bool {
        let before = self.symbols.len();
        let Ok(elf) = image.elf() else { return false };
        let table = if kind == elf::SHT_SYMTAB {
            elf.elf_symbol_table()
        } else {
            elf.elf_dynamic_symbol_table()
        };
        let endian = Endianness::Little;
        for symbol in table.iter() {
            let section = symbol.st_shndx(endian);
            if section == elf::SHN_UNDEF || section == elf::SHN_ABS {
                continue;
            }
            let kind = match symbol.st_type() {
                elf::STT_FUNC => SymbolKind::Function,
                elf::STT_GNU_IFUNC => SymbolKind::IndirectFunction,
                elf::STT_OBJECT | elf::STT_COMMON => SymbolKind::Data,
                elf::STT_TLS => SymbolKind::ThreadLocal,
                elf::STT_NOTYPE => SymbolKind::Other,
                _ => continue,
            };
            let Ok(name) = symbol.name(endian, table.strings()) else {
                continue;
            };
            // Full tables write the version after the name: `qsort@@GLIBC_2.2.5`.
            let name = name.split(|byte| *byte == b'@').next().unwrap_or(name);
            // Some linkers write versions into the names: `pthread_create@@GLIBC_2.34`.
            let plain = name.iter().position(|byte| *byte == b'@');
            let name = &name[..plain.unwrap_or(name.len())];
            if name.is_empty() || std::str::from_utf8(name).is_err() {
                continue;
            }
            self.symbols.push(Stored {
                address: symbol.st_value(endian),
                size: symbol.st_size(endian),
                name: range_of(image, name),
                is_separate,
                kind,
                is_global: symbol.st_bind() != elf::STB_LOCAL,
            });
        }
        self.symbols.len() > before
    }

    /// The stubs of the procedure linkage table, in the order of its relocations.
    fn read_plt(&mut self, image: &Image) -> Option<()> {
        let elf = image.elf().ok()?;
        let endian = Endianness::Little;
        let (stubs, first) = match image.section_entry(".plt.sec") {
            Some(section) => (section, 0),
            None => (image.section_entry(".plt")?, 1),
        };
        let dynamic = elf.elf_dynamic_symbol_table();
        let sections = elf.elf_section_table();
        let (_, relocations) = sections.section_by_name(endian, b".rela.plt")?;
        let (relocations, _) = relocations.rela(endian, image.bytes()).ok()??;
        for (index, relocation) in relocations.iter().enumerate() {
            let offset = (index as u64 + first) * 16;
            if offset >= stubs.size {
                break;
            }
            let symbol = object::SymbolIndex(relocation.r_sym(endian, false) as usize);
            let Ok(symbol) = dynamic.symbol(symbol) else {
                continue;
            };
            let Ok(name) = symbol.name(endian, dynamic.strings()) else {
                continue;
            };
            if name.is_empty() || std::str::from_utf8(name).is_err() {
                continue;
            }
            self.symbols.push(Stored {
                address: stubs.address.wrapping_add(offset),
                size: 16,
                name: range_of(image, name),
                is_separate: false,
                kind: SymbolKind::Plt,
                is_global: false,
            });
        }
        Some(())
    }
}

fn range_of(image: &Image, part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(image.bytes().as_ptr() as usize);
    start..start.saturating_add(part.len())
}

impl Module {
    fn symbol_table(&self) -> &SymbolTable {
        self.symbol_table.get_or_init(|| SymbolTable::build(self))
    }

    fn symbol(&self, stored: &Stored) -> Symbol<'_> {
        let image = match self.debug_image() {
            Some(image) if stored.is_separate => image,
            _ => &self.image,
        };
        let name = image.bytes().get(stored.name.clone()).unwrap_or(&[]);
        Symbol {
            name: std::str::from_utf8(name).unwrap_or(""),
            address: ModuleAddress(stored.address),
            size: stored.size,
            kind: stored.kind,
            is_global: stored.is_global,
        }
    }

    /// The symbol that contains an address, or the nearest before it in the same section if that
    /// has no size.
    pub fn symbol_at(&self, address: ModuleAddress) -> Option<Symbol<'_>> {
        let table = self.symbol_table();
        let symbols = &table.symbols[..table.addressed];
        let after = symbols.partition_point(|symbol| symbol.address <= address.0);
        let section_end = |symbol: &Stored| {
            let holds = |s: &&crate::image::SectionEntry| {
                s.is_allocated && symbol.address.wrapping_sub(s.address) < s.size
            };
            let section = self.image.sections.iter().find(holds);
            section.map_or(u64::MAX, |s| s.address.saturating_add(s.size))
        };
        // Zero-sized labels may stand inside a function: look past them.
        symbols[..after]
            .iter()
            .rev()
            .take(16)
            .find(|symbol| symbol.size > 0 && address.0 - symbol.address < symbol.size)
            .or_else(|| {
                let nearest = symbols[..after].last()?;
                (nearest.size == 0 && address.0 < section_end(nearest)).then_some(nearest)
            })
            .map(|symbol| self.symbol(symbol))
    }

    /// `main+12`: the demangled name of the symbol at an address, and the offset if it is not 0.
    pub fn symbolic_address(&self, address: ModuleAddress) -> Option<String> {
        let symbol = self.symbol_at(address)?;
        let mut name = demangle(symbol.name);
        if symbol.kind == SymbolKind::Plt {
            name.push_str("@plt");
        }
        match address.0 - symbol.address.0 {
            0 => Some(name),
            offset => Some(format!("{name}+{offset}")),
        }
    }

    /// Symbols of exactly this (mangled or plain) name.
    pub fn symbols_named(&self, name: &str) -> Vec<Symbol<'_>> {
        self.symbols()
            .filter(|symbol| symbol.name == name)
            .collect()
    }

    /// All symbols that have a name, by address; thread-local ones last.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol<'_>> + '_ {
        let table = self.symbol_table();
        table.symbols.iter().map(|symbol| self.symbol(symbol))
    }
}
