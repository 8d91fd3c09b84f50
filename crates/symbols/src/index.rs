//! The index of all names of a module: built in parallel, kept in a cache file, searched in place.
//!
//! One pass over the units makes it; the result is written to the cache piece by piece. Files are
//! mapped, and pages that were scanned are given back to the kernel at once, so that a debugger
//! holds what it uses and not what it has seen.

mod build;
mod cache;
pub(crate) mod format;
mod scan;

use gimli::Section;

use crate::die::{DieId, UnitId};
use crate::index::format::{IndexEntry, Kind, Layout, NO_PARENT, Place};
use crate::mapping::Bytes;
use crate::module::Module;
use crate::names;

/// No name is nested deeper than this.
const MOST_PARENTS: usize = 128;

/// The index of a module.
pub(crate) struct Index {
    bytes: Bytes,
    layout: Layout,
}

/// One entry together with its number.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) index: u32,
    pub(crate) entry: IndexEntry,
}

impl Found {
    pub(crate) fn die(&self) -> DieId {
        DieId {
            unit: UnitId(self.entry.unit),
            offset: self.entry.die,
        }
    }
}

impl Index {
    fn new(bytes: Bytes) -> Option<Index> {
        let layout = Layout::of(&bytes)?;
        Some(Index { bytes, layout })
    }

    fn entry(&self, index: u32) -> Option<IndexEntry> {
        self.layout.entry(&self.bytes, index)
    }

    /// All entries.
    pub(crate) fn all(&self) -> impl Iterator<Item = Found> + '_ {
        (0..self.layout.entry_count() as u32)
            .filter_map(|index| self.entry(index).map(|entry| Found { index, entry }))
    }

    /// Entries whose name, without arguments, has the same hash as this one.
    fn candidates(&self, name: &str) -> impl Iterator<Item = Found> + '_ {
        let hash = names::hash(names::without_arguments(name).as_bytes());
        self.layout
            .with_hash(&self.bytes, hash)
            .filter_map(|index| self.entry(index).map(|entry| Found { index, entry }))
    }

    /// Units with inlined copies of a function of another unit.
    pub(crate) fn foreign_copies(&self, function: DieId) -> impl Iterator<Item = UnitId> + '_ {
        let hash = build::foreign_hash(function.unit.0, function.offset);
        self.layout
            .with_hash(&self.bytes, hash)
            .filter_map(|index| self.entry(index))
            .filter(move |entry| {
                entry.kind == Kind::ForeignInline
                    && entry.die == function.offset
                    && entry.parent == function.unit.0
            })
            .map(|entry| UnitId(entry.unit))
    }
}

impl Module {
    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| cache::load_or_build(self))
    }

    /// The name of an entry of the index.
    pub(crate) fn index_name(&self, entry: &IndexEntry) -> &str {
        if entry.place == Place::Nowhere {
            return if entry.kind == Kind::Namespace {
                names::ANONYMOUS
            } else {
                ""
            };
        }
        let Some(dwarf) = self.dwarf_file().map(|file| file.dwarf()) else {
            return "";
        };
        let section = match entry.place {
            Place::Strings => dwarf.debug_str.reader().slice(),
            Place::Info => dwarf.debug_info.reader().slice(),
            Place::LineStrings => dwarf.debug_line_str.reader().slice(),
            Place::SupplementaryStrings => dwarf
                .sup()
                .map_or(&[][..], |sup| sup.debug_str.reader().slice()),
            Place::SupplementaryInfo => dwarf
                .sup()
                .map_or(&[][..], |sup| sup.debug_info.reader().slice()),
            Place::Pool => {
                let index = self.index();
                index.layout.pool(&index.bytes)
            }
            Place::Nowhere => &[],
        };
        let rest = section.get(entry.name as usize..).unwrap_or(&[]);
        let end = rest.iter().position(|byte| *byte == 0).unwrap_or(0);
        std::str::from_utf8(&rest[..end]).unwrap_or("")
    }

    /// The names of an entry and of all that encloses it, innermost first, functions left out
    /// unless `with_functions`.
    pub(crate) fn index_path(&self, found: &Found, with_functions: bool) -> Vec<&str> {
        let mut path = vec![self.index_name(&found.entry)];
        let mut parent = found.entry.parent;
        for _ in 0..MOST_PARENTS {
            if parent == NO_PARENT {
                break;
            }
            let Some(entry) = self.index().entry(parent) else {
                break;
            };
            // As gdb: what is local to a function is not qualified.
            if entry.kind == Kind::Function && !with_functions {
                break;
            }
            path.push(self.index_name(&entry));
            parent = entry.parent;
        }
        path
    }

    /// The qualified name of an entry of the index.
    pub(crate) fn index_qualified_name(&self, found: &Found) -> String {
        let mut path = self.index_path(found, false);
        path.reverse();
        path.join("::")
    }

    /// Entries of a kind whose qualified name is, or ends in, a name.
    pub(crate) fn lookup(&self, name: &str, kind: Kind) -> Vec<Found> {
        let anchored = name.starts_with("::");
        let wanted = names::components(name.trim_start_matches("::").trim());
        let Some(last) = wanted.last() else {
            return Vec::new();
        };
        self.index()
            .candidates(last)
            .filter(|found| found.entry.kind == kind)
            .filter(|found| names::component_matches(last, self.index_name(&found.entry)))
            .filter(|found| {
                if wanted.len() == 1 && !anchored {
                    return true;
                }
                let with_functions = kind == Kind::Variable;
                let path = self.index_path(found, with_functions);
                let visible = path
                    .iter()
                    .filter(|part| !names::is_transparent(part))
                    .count();
                names::path_matches(&wanted, path.iter().copied())
                    && (!anchored || visible == wanted.len())
            })
            .collect()
    }
}
