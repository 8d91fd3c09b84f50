//! Source lines of addresses and addresses of source lines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::address::{AddressRange, ModuleAddress};
use crate::die::{DieId, UnitId};
use crate::error::SymbolsError;
use crate::function::CodePlace;
use crate::line_table::{LineTable, Row};
use crate::module::Module;

/// A source file of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceFile {
    /// As gdb shows it: as the compiler was given it.
    pub name: String,
    /// With the compilation directory.
    pub path: PathBuf,
}

impl SourceFile {
    /// Whether the path ends in these components.
    pub fn matches(&self, wanted: &str) -> bool {
        let path = Path::new(wanted);
        let wanted_parts = path.components().filter(|c| *c != Component::CurDir);
        let wanted: PathBuf = wanted_parts.collect();
        self.path.ends_with(&wanted) || Path::new(&self.name).ends_with(&wanted)
    }
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourcePosition {
    pub file: Arc<SourceFile>,
    /// From 1; 0: the compiler names no line.
    pub line: u64,
    /// From 1; 0: unknown.
    pub column: u64,
}

/// One row of the line table, with the addresses up to the next row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEntry {
    pub range: AddressRange,
    pub position: SourcePosition,
    pub is_statement: bool,
}

impl Module {
    /// The row of the line table for an address (exactly the row that contains it).
    pub fn line_at(&self, address: ModuleAddress) -> Result<Option<LineEntry>, SymbolsError> {
        let Some(unit) = self.unit_at(address)? else {
            return Ok(None);
        };
        let table = self.line_table(&self.unit(unit)?);
        Ok(table
            .find(address.0)
            .and_then(|(sequence, index)| table.entry(sequence, index)))
    }

    /// The addresses that belong to the source line at `address`, with the rows next to it that
    /// have the same line or begin no statement: where `step` goes on stepping.
    pub fn step_range(&self, address: ModuleAddress) -> Result<Option<LineEntry>, SymbolsError> {
        let Some(unit) = self.unit_at(address)? else {
            return Ok(None);
        };
        let table = self.line_table(&self.unit(unit)?);
        let Some((sequence, index)) = table.find(address.0) else {
            return Ok(None);
        };
        let Some(mut entry) = table.entry(sequence, index) else {
            return Ok(None);
        };
        let function_end = self.function_bounds(address)?;
        let rows = table.rows_of(sequence);
        let here = rows[index];
        let same_line = |row: &Row| row.line == here.line && row.file == here.file;
        let before = rows[..index].iter().rev().take_while(|row| same_line(row));
        if let Some(first) = before.last() {
            entry.range.start = ModuleAddress(first.address);
        }
        for (next, row) in rows.iter().enumerate().skip(index + 1) {
            if row.address > here.address && row.is_statement && !same_line(row) {
                break;
            }
            entry.range.end = ModuleAddress(table.end_of(sequence, next));
        }
        // Rows of the next function have another line, but a recursive tail may not.
        if let Some(bounds) = function_end {
            entry.range.start = entry.range.start.max(bounds.start);
            entry.range.end = entry.range.end.min(bounds.end);
        }
        Ok(Some(entry))
    }

    /// The range of the function's code that contains an address.
    pub(crate) fn function_bounds(
        &self,
        address: ModuleAddress,
    ) -> Result<Option<AddressRange>, SymbolsError> {
        let scopes = self.scopes_at(address)?;
        let function = scopes.first();
        Ok(function.and_then(|scope| {
            let mut ranges = scope.ranges.iter();
            ranges.find(|range| range.contains(address)).copied()
        }))
    }

    /// The places where a breakpoint at `file:line` goes: the line itself, or the next one that
    /// has code. `file` may be the last components of the path.
    pub fn line_places(&self, file: &str, line: u64) -> Result<Vec<CodePlace>, SymbolsError> {
        let rows = self.rows_of_file(file)?;
        let Some((found_line, starts)) = rows.at_or_after(line) else {
            return Err(SymbolsError::NoCodeAtLine {
                file: file.to_owned(),
                line,
            });
        };
        let mut seen_blocks: BTreeSet<Option<DieId>> = BTreeSet::new();
        let mut places: Vec<CodePlace> = Vec::new();
        for (address, known_file) in starts {
            let address = ModuleAddress(*address);
            let scopes = self.scopes_at(address)?;
            // As gdb: a line that is spread over a block is stopped at once, where it starts.
            let block = scopes.last().map(|scope| scope.die);
            if block.is_some() && !seen_blocks.insert(block) {
                continue;
            }
            let mut place = self.place_past_prologue(address, &scopes)?;
            if place.address == address {
                place.position = Some(SourcePosition {
                    file: known_file.clone(),
                    line: found_line,
                    column: 0,
                });
            }
            if !places.iter().any(|known| known.address == place.address) {
                places.push(place);
            }
        }
        places.sort_by_key(|place| place.address);
        Ok(places)
    }

    /// The address ranges of exactly this line of this file.
    pub fn line_ranges(&self, file: &str, line: u64) -> Result<Vec<LineEntry>, SymbolsError> {
        let mut entries = Vec::new();
        for unit in self.units_with_file(file)? {
            let table = self.line_table(&self.unit(unit)?);
            let files = matching_files(table, file);
            for (sequence, index, row) in table.all_rows() {
                if u64::from(row.line) == line && files.contains(&row.file) {
                    entries.extend(table.entry(sequence, index));
                }
            }
        }
        entries.sort_by_key(|entry| entry.range);
        entries.dedup();
        Ok(entries)
    }

    /// The addresses of each line of a file at which statements start.
    fn rows_of_file(&self, file: &str) -> Result<StartsByLine, SymbolsError> {
        let units = self.units_with_file(file)?;
        if units.is_empty() {
            return Err(SymbolsError::UnknownFile {
                file: file.to_owned(),
                module: self.name(),
            });
        }
        let mut starts = StartsByLine::default();
        for unit in units {
            let table = self.line_table(&self.unit(unit)?);
            let files = matching_files(table, file);
            for (sequence, index, row) in table.all_rows() {
                if !row.is_statement || !files.contains(&row.file) {
                    continue;
                }
                let Some(known) = table.file(row.file) else {
                    continue;
                };
                // Another file's row at the same address takes the instructions over.
                let is_hidden = table.rows_of(sequence)[index..]
                    .iter()
                    .take_while(|next| next.address == row.address)
                    .any(|next| next.file != row.file);
                let lines = if is_hidden {
                    &mut starts.hidden
                } else {
                    &mut starts.visible
                };
                let addresses = lines.entry(u64::from(row.line)).or_default();
                addresses.insert(row.address, known.clone());
            }
        }
        Ok(starts)
    }

    /// The units whose line tables name a file.
    fn units_with_file(&self, file: &str) -> Result<Vec<UnitId>, SymbolsError> {
        if !self.has_debug_information() {
            return Err(SymbolsError::NoDebugInformation {
                module: self.name(),
            });
        }
        let mut units = Vec::new();
        for unit in self.file_index().units(file) {
            // A damaged unit does not hide the others.
            let Ok(parsed) = self.unit(unit) else {
                continue;
            };
            let files = self.unit_files(&parsed);
            if files.iter().flatten().any(|known| known.matches(file)) {
                units.push(unit);
            }
        }
        Ok(units)
    }

    /// All source files that the line tables name, in order.
    pub fn source_files(&self) -> Result<Vec<Arc<SourceFile>>, SymbolsError> {
        let mut all = BTreeSet::new();
        for (number, slot) in self.units().slots.iter().enumerate() {
            if slot.is_type_unit() {
                continue;
            }
            if let Ok(unit) = self.unit(UnitId(number as u32)) {
                all.extend(self.unit_files(&unit).iter().flatten().cloned());
            }
        }
        Ok(all.into_iter().collect())
    }

    /// The source files whose path ends in these components.
    pub fn find_source_files(&self, file: &str) -> Result<Vec<Arc<SourceFile>>, SymbolsError> {
        let mut found = BTreeSet::new();
        for unit in self.units_with_file(file)? {
            let files = self.unit(unit).map(|unit| self.unit_files(&unit));
            let files = files?.iter().flatten();
            found.extend(files.filter(|known| known.matches(file)).cloned());
        }
        Ok(found.into_iter().collect())
    }
}

/// The addresses at which statements of a file start, by line.
#[derive(Default)]
struct StartsByLine {
    visible: BTreeMap<u64, Starts>,
    /// Rows without instructions of their own: inlined code of another file starts there. They
    /// count for lines that have no others.
    hidden: BTreeMap<u64, Starts>,
}

/// Addresses, each with the file as the unit names it.
type Starts = BTreeMap<u64, Arc<SourceFile>>;

impl StartsByLine {
    /// The line itself, or else the next one that has code.
    fn at_or_after(&self, line: u64) -> Option<(u64, &Starts)> {
        let tables = [&self.visible, &self.hidden];
        let exact = tables.iter().find_map(|lines| lines.get(&line));
        if let Some(exact) = exact {
            return Some((line, exact));
        }
        let mut later = tables.iter().map(|lines| lines.range(line..).next());
        later
            .find_map(|next| next)
            .map(|(line, starts)| (*line, starts))
    }
}

fn matching_files(table: &LineTable, file: &str) -> BTreeSet<u32> {
    table
        .files()
        .filter(|(_, known)| known.matches(file))
        .map(|(number, _)| number)
        .collect()
}
