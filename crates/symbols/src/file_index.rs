//! Which units name which source files: from the headers of the line programs, which are short.

use std::path::Path;

use crate::die::UnitId;
use crate::module::Module;
use crate::names;
use crate::unit::Reader;

/// Units by the last components of the paths of their source files.
#[derive(Default)]
pub(crate) struct FileIndex {
    /// Pairs of hash and unit, sorted.
    pairs: Vec<(u32, u32)>,
}

impl FileIndex {
    fn build(module: &Module) -> FileIndex {
        let mut pairs = Vec::new();
        let Some(main) = module.dwarf_file().map(|file| file.dwarf()) else {
            return FileIndex::default();
        };
        for (number, slot) in module.units().slots.iter().enumerate() {
            // Units of types name the files of their declarations, but have no code.
            if slot.is_supplementary || slot.is_type_unit() {
                continue;
            }
            // Not the module's own copy: most units are not needed again.
            let Ok(unit) = main.unit(slot.header) else {
                continue;
            };
            let Some(program) = &unit.line_program else {
                continue;
            };
            let reference = gimli::UnitRef::new(main, &unit);
            let number = number as u32;
            // Many units that share one long table would make an endless one.
            let most = module.image.bytes().len();
            let mut add = |name: Reader<'_>| {
                if pairs.len() < most {
                    pairs.push((hash(&name.to_string_lossy()), number));
                }
            };
            if let Some(name) = unit.name {
                add(name);
            }
            for file in program.header().file_names() {
                if let Ok(name) = reference.attr_string(file.path_name()) {
                    add(name);
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        FileIndex { pairs }
    }

    /// Units that may name a file.
    pub(crate) fn units(&self, file: &str) -> impl Iterator<Item = UnitId> + '_ {
        let hash = hash(file);
        let first = self.pairs.partition_point(|(found, _)| *found < hash);
        self.pairs[first..]
            .iter()
            .take_while(move |(found, _)| *found == hash)
            .map(|(_, unit)| UnitId(*unit))
    }
}

fn hash(path: &str) -> u32 {
    let name = Path::new(path)
        .file_name()
        .map(|name| name.as_encoded_bytes());
    names::hash(name.unwrap_or(&[]))
}

impl Module {
    pub(crate) fn file_index(&self) -> &FileIndex {
        self.file_index.get_or_init(|| FileIndex::build(self))
    }
}
