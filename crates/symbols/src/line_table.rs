//! The line program of a unit, run once, with rows as gdb keeps them.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use gimli::{ColumnType, LineProgramHeader};

use crate::address::{AddressRange, ModuleAddress};
use crate::line::{LineEntry, SourceFile, SourcePosition};
use crate::module::Module;
use crate::unit::{Reader, Unit};

/// One row; it holds up to the next row's address.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) address: u64,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) file: u32,
    pub(crate) is_statement: bool,
    /// The compiler says that the prologue of a function ends here.
    pub(crate) is_prologue_end: bool,
}

/// A run of rows with rising addresses.
pub(crate) struct Sequence {
    pub(crate) start: u64,
    pub(crate) end: u64,
    rows: std::ops::Range<usize>,
}

/// The rows of a unit.
#[derive(Default)]
pub(crate) struct LineTable {
    /// By their number in the program.
    files: Arc<[Option<Arc<SourceFile>>]>,
    rows: Vec<Row>,
    /// Sorted by start.
    sequences: Vec<Sequence>,
}

impl LineTable {
    fn build<'module>(module: &'module Module, unit: &Unit<'module>) -> LineTable {
        let mut table = LineTable {
            files: module.unit_files(unit).clone(),
            ..LineTable::default()
        };
        let Some(program) = unit.line_unit().line_program.clone() else {
            return table;
        };
        // A damaged program keeps the rows before the damage.
        let _ = table.run(module, program);
        table.sequences.sort_by_key(|sequence| sequence.start);
        table
    }

    fn run(
        &mut self,
        module: &Module,
        program: gimli::IncompleteLineProgram<Reader<'_>>,
    ) -> gimli::Result<()> {
        let mut rows = program.rows();
        let mut first = self.rows.len();
        let mut last: Option<Row> = None;
        let mut line_is_split = false;
        while let Some((_, row)) = rows.next_row()? {
            let line = row.line().map_or(0, |line| line.get());
            let new = Row {
                address: row.address(),
                line: u32::try_from(line).unwrap_or(0),
                column: match row.column() {
                    ColumnType::LeftEdge => 0,
                    ColumnType::Column(column) => u32::try_from(column.get()).unwrap_or(0),
                },
                file: u32::try_from(row.file_index()).unwrap_or(u32::MAX),
                is_statement: row.is_stmt(),
                is_prologue_end: row.prologue_end(),
            };
            if row.end_sequence() {
                let start = self.rows.get(first).map_or(0, |row| row.address);
                let sorted = self.rows[first..].is_sorted_by_key(|row| row.address);
                // Code that the linker dropped has its rows at address 0 or the like.
                if start < new.address && sorted && module.is_code(ModuleAddress(start)) {
                    self.sequences.push(Sequence {
                        start,
                        end: new.address,
                        rows: first..self.rows.len(),
                    });
                } else {
                    self.rows.truncate(first);
                }
                first = self.rows.len();
                last = None;
                continue;
            }
            // As gdb: rows without a line belong to the line before, and the parts of a line that
            // discriminators tell apart are one.
            if new.line == 0 {
                continue;
            }
            let same_line = last.is_some_and(|l| l.line == new.line && l.file == new.file);
            line_is_split = (same_line && line_is_split) || row.discriminator() != 0;
            if same_line && line_is_split {
                continue;
            }
            let hides_statement = last
                .is_some_and(|l| l.file != new.file && l.address == new.address && l.is_statement);
            if hides_statement && !new.is_statement {
                continue;
            }
            last = Some(new);
            self.rows.push(new);
        }
        self.rows.truncate(first);
        Ok(())
    }

    pub(crate) fn file(&self, number: u32) -> Option<&Arc<SourceFile>> {
        self.files.get(number as usize)?.as_ref()
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (u32, &Arc<SourceFile>)> + '_ {
        let numbered = self.files.iter().enumerate();
        numbered.filter_map(|(number, file)| Some((number as u32, file.as_ref()?)))
    }

    pub(crate) fn sequence_at(&self, address: u64) -> Option<&Sequence> {
        let after = self
            .sequences
            .partition_point(|sequence| sequence.start <= address);
        self.sequences[..after]
            .iter()
            .rev()
            .take(8)
            .find(|sequence| address < sequence.end)
    }

    /// The row for an address, as an index into its sequence's rows.
    pub(crate) fn find(&self, address: u64) -> Option<(&Sequence, usize)> {
        let sequence = self.sequence_at(address)?;
        let rows = self.rows_of(sequence);
        let after = rows.partition_point(|row| row.address <= address);
        let last = after.checked_sub(1)?;
        // Of rows for one address the last statement is meant.
        let same_address = |index: &usize| rows[*index].address == rows[last].address;
        let found = (0..=last)
            .rev()
            .take_while(same_address)
            .find(|index| rows[*index].is_statement)
            .unwrap_or(last);
        Some((sequence, found))
    }

    pub(crate) fn rows_of(&self, sequence: &Sequence) -> &[Row] {
        &self.rows[sequence.rows.clone()]
    }

    /// Where the row at `index` of a sequence ends.
    pub(crate) fn end_of(&self, sequence: &Sequence, index: usize) -> u64 {
        let rows = self.rows_of(sequence);
        let start = rows[index].address;
        rows[index..]
            .iter()
            .map(|row| row.address)
            .find(|address| *address > start)
            .unwrap_or(sequence.end)
    }

    pub(crate) fn entry(&self, sequence: &Sequence, index: usize) -> Option<LineEntry> {
        let row = self.rows_of(sequence).get(index)?;
        Some(LineEntry {
            range: AddressRange::new(row.address, self.end_of(sequence, index)),
            position: SourcePosition {
                file: self.file(row.file)?.clone(),
                line: u64::from(row.line),
                column: u64::from(row.column),
            },
            is_statement: row.is_statement,
        })
    }

    /// All rows with their sequence and index.
    pub(crate) fn all_rows(&self) -> impl Iterator<Item = (&Sequence, usize, &Row)> + '_ {
        self.sequences.iter().flat_map(|sequence| {
            let rows = self.rows_of(sequence).iter().enumerate();
            rows.map(move |(index, row)| (sequence, index, row))
        })
    }
}

/// The files of a line program by number, named as gdb names them.
pub(crate) fn files<'module>(
    unit: &gimli::UnitRef<'_, Reader<'module>>,
    header: &LineProgramHeader<Reader<'module>>,
) -> Vec<Option<Arc<SourceFile>>> {
    let text = |value| {
        let text = unit.attr_string(value).ok()?;
        Some(text.to_string_lossy().into_owned())
    };
    let owned = |part: Option<Reader<'_>>| {
        part.map(|text| text.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let directory = owned(unit.comp_dir);
    // What a split unit leaves behind has no name; the first file is the unit's own since DWARF 5.
    let first = || {
        header
            .file_names()
            .first()
            .and_then(|file| text(file.path_name()))
    };
    let unit_name = match owned(unit.name) {
        name if name.is_empty() && header.version() >= 5 => first().unwrap_or_default(),
        name => name,
    };
    let unit_identity = joined(&directory, &unit_name);
    let make = |name: &str, include: Option<&str>| {
        let shown = include.map_or(name.to_owned(), |include| joined(include, name));
        let path = match include {
            // The compilation directory itself: it is not added twice.
            Some(include) if include == directory => plain_path(&shown),
            _ => plain_path(&joined(&directory, &shown)),
        };
        // As gdb: the unit's own file keeps the name that the compiler was given.
        let is_unit_file = joined(&directory, &shown) == unit_identity;
        let name = if is_unit_file {
            unit_name.clone()
        } else {
            shown
        };
        Some(Arc::new(SourceFile { name, path }))
    };
    let mut files = Vec::with_capacity(header.file_names().len() + 1);
    let is_old = header.version() < 5;
    if is_old {
        // Number 0 is the unit's own file.
        files.push(make(&unit_name, None));
    }
    for file in header.file_names() {
        let has_directory = !is_old || file.directory_index() != 0;
        let include = has_directory
            .then(|| file.directory(header).and_then(text))
            .flatten();
        let name = text(file.path_name());
        files.push(name.and_then(|name| make(&name, include.as_deref())));
    }
    files
}

/// A file in a directory, unless it says itself where it is.
fn joined(directory: &str, name: &str) -> String {
    if name.starts_with('/') || directory.is_empty() {
        return name.to_owned();
    }
    format!("{}/{name}", directory.trim_end_matches('/'))
}

/// A path without `.` in it.
fn plain_path(path: &str) -> PathBuf {
    Path::new(path)
        .components()
        .filter(|component| !matches!(component, Component::CurDir))
        .collect()
}

impl Module {
    pub(crate) fn line_table<'module>(&'module self, unit: &Unit<'module>) -> &'module LineTable {
        unit.parsed
            .lines
            .get_or_init(|| Arc::new(LineTable::build(self, unit)))
    }

    /// The file that a `DW_AT_decl_file` or `DW_AT_call_file` of a unit means.
    pub(crate) fn file_of_unit(&self, unit: &Unit<'_>, number: u64) -> Option<Arc<SourceFile>> {
        let unit = self.unit(unit.id).ok()?;
        let number = usize::try_from(number).ok()?;
        self.unit_files(&unit).get(number)?.clone()
    }

    /// The files of a unit, without running its line program.
    pub(crate) fn unit_files<'module>(
        &'module self,
        unit: &Unit<'module>,
    ) -> &'module Arc<[Option<Arc<SourceFile>>]> {
        unit.parsed.files.get_or_init(|| {
            let line_unit = unit.line_unit();
            let main = self.dwarf_file().map(|file| file.dwarf());
            let dwarf = match main {
                Some(main) if unit.parsed.is_split() => main,
                _ => unit.dwarf,
            };
            match &line_unit.line_program {
                Some(program) => {
                    files(&gimli::UnitRef::new(dwarf, line_unit), program.header()).into()
                }
                None => Arc::new([]),
            }
        })
    }
}
