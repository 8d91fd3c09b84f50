//! `list`, `info source`, `info line`.

use std::path::{Path, PathBuf};

use super::At;
use super::locations::symbol_error;
use crate::breakpoint::Target;
use crate::source::Listed;
use crate::view::{LineInfoView, SourceFileView, SourceLineView, SourceView};
use crate::{DebuggerError, ListSpec, Location, Result};

impl At<'_> {
    /// Lines of source; how many is the setting `listsize`. Where it goes on from is what [`At::listed()`] was given.
    pub fn list(&mut self, spec: ListSpec) -> Result<SourceView> {
        let size = self
            .debugger
            .settings
            .number("listsize")
            .unwrap_or(10)
            .max(1) as u32;
        let (file, full_path, first, last) = match spec {
            ListSpec::Onward => match self.listed.clone() {
                Some(listed) => (
                    listed.file,
                    listed.full_path,
                    listed.last.saturating_add(1),
                    listed.last.saturating_add(size),
                ),
                None => {
                    let (file, path, line) = self.here()?;
                    around(file, path, line, size)
                }
            },
            ListSpec::Backward => {
                let listed = match self.listed.clone() {
                    Some(listed) => listed,
                    None => {
                        let (file, full_path, line) = self.here()?;
                        let (.., first, last) = around(file.clone(), full_path.clone(), line, size);
                        Listed {
                            file,
                            full_path,
                            first,
                            last,
                        }
                    }
                };
                if listed.first <= 1 {
                    let file = listed.full_path.display();
                    return Err(DebuggerError::Usage(format!(
                        "Already at the start of {file}."
                    )));
                }
                let last = listed.first - 1;
                (
                    listed.file,
                    listed.full_path,
                    last.saturating_sub(size - 1).max(1),
                    last,
                )
            }
            ListSpec::Around(location) => {
                let (file, path, line) = self.line_of_location(&location)?;
                around(file, path, line, size)
            }
            ListSpec::Range(from, to) => self.list_range(from.as_ref(), to.as_ref(), size)?,
        };
        let text = self.debugger.sources.text(&full_path)?;
        let count = text.line_count() as u32;
        if first > count {
            return Err(DebuggerError::Usage(format!(
                "Line number {first} out of range; {file} has {count} lines."
            )));
        }
        let last = last.min(count);
        let lines = (first..=last)
            .map(|line| SourceLineView {
                line,
                text: text.line(u64::from(line)).unwrap_or_default().to_owned(),
            })
            .collect();
        let current_line = self
            .here()
            .ok()
            .filter(|(_, path, _)| *path == full_path)
            .map(|(_, _, line)| line);
        Ok(SourceView {
            file,
            full_path: full_path.display().to_string(),
            current_line,
            lines,
        })
    }

    /// Shown file, its path and the line of the frame; without one, of `main`.
    fn here(&mut self) -> Result<(String, PathBuf, u32)> {
        if let Ok((_, backtrace, index)) = self.walked()
            && let Some(position) = backtrace
                .frames
                .get(index)
                .and_then(|frame| frame.position.as_ref())
        {
            return Ok((
                position.file.name.clone(),
                position.file.path.clone(),
                position.line as u32,
            ));
        }
        let (file, line) = self.default_position()?;
        Ok((file.clone(), PathBuf::from(file), line))
    }

    fn line_of_location(&mut self, location: &Location) -> Result<(String, PathBuf, u32)> {
        let process = self.own_process()?;
        if let Location::Line(line) = *location {
            let (file, path, _) = match self.listed.clone() {
                Some(listed) => (listed.file, listed.full_path, 0),
                None => self.here()?,
            };
            return Ok((file, path, line));
        }
        if let Location::FileLine { file, line } = location {
            for mapped in self.debugger.process(process)?.space.modules.iter() {
                let found = mapped
                    .loaded
                    .module
                    .find_source_files(file)
                    .unwrap_or_default();
                if let Some(source) = found.first() {
                    return Ok((source.name.clone(), source.path.clone(), *line));
                }
            }
        }
        if let Location::Function(name) = location {
            for mapped in self.debugger.process(process)?.space.modules.iter() {
                let found = mapped
                    .loaded
                    .module
                    .find_functions(name)
                    .unwrap_or_default();
                // Where its code begins, as in gdb: the line of the brace if that is one of its own.
                let begins = found.first().and_then(|function| {
                    let line = mapped.loaded.module.line_at(function.entry?);
                    Some(line.ok()??.position)
                });
                let declared = found.into_iter().find_map(|function| function.declared);
                if let Some(declared) = begins.or(declared) {
                    return Ok((
                        declared.file.name.clone(),
                        declared.file.path.clone(),
                        declared.line as u32,
                    ));
                }
            }
        }
        let target = self.settle(location)?;
        let places = self.debugger.places_in(&target, process)?;
        let position = places.into_iter().find_map(|(_, place)| place.position);
        let position = position.ok_or_else(|| DebuggerError::NoDebugInfo(location.to_string()))?;
        Ok((
            position.file.name.clone(),
            position.file.path.clone(),
            position.line as u32,
        ))
    }

    fn list_range(
        &mut self,
        from: Option<&Location>,
        to: Option<&Location>,
        size: u32,
    ) -> Result<(String, PathBuf, u32, u32)> {
        let Some(from) = from else {
            let (file, path, last) = self.line_of_location(to.unwrap_or(&Location::Here))?;
            return Ok((file, path, last.saturating_sub(size - 1).max(1), last));
        };
        let (file, path, first) = self.line_of_location(from)?;
        let last = match to {
            None => first.saturating_add(size - 1),
            Some(Location::Line(line)) => *line,
            Some(Location::Offset(offset)) => (i64::from(first) + offset).max(1) as u32,
            Some(to) => self.line_of_location(to)?.2,
        };
        if last < first {
            return Err(DebuggerError::Usage(format!(
                "Line {last} lies before line {first}."
            )));
        }
        Ok((file, path, first.max(1), last))
    }

    /// Where the code of a line is.
    pub fn info_line(&mut self, location: &Location) -> Result<Vec<LineInfoView>> {
        let process = self.own_process()?;
        let target = match self.settle(location)? {
            Target::Addresses { .. } if *location == Location::Here => {
                let (_, path, line) = self.here()?;
                Target::Spec(Location::FileLine {
                    file: path.display().to_string(),
                    line,
                })
            }
            target => target,
        };
        let space = self.debugger.process(process)?.space.clone();
        let mut views = Vec::new();
        let mut add = |mapped: &crate::session::MappedModule,
                       entry: wayfarer_symbols::LineEntry| {
            let (start, end) = (
                entry.range.start.in_process(mapped.loaded.bias),
                entry.range.end.in_process(mapped.loaded.bias),
            );
            views.push(LineInfoView {
                file: entry.position.file.name.clone(),
                line: entry.position.line as u32,
                start,
                end,
                start_symbol: space.symbolic(start),
                end_symbol: space.symbolic(end),
            });
        };
        for mapped in space.modules.iter() {
            let module = &mapped.loaded.module;
            if let Target::Spec(Location::FileLine { file, line }) = &target {
                let ranges = module.line_ranges(file, u64::from(*line));
                // As gdb: where the line begins, once in each function that has code of it.
                let mut functions = Vec::new();
                for entry in ranges.unwrap_or_default() {
                    let function = module.function_at(entry.range.start).ok().flatten();
                    let function = function.map(|function| function.die);
                    if !functions.contains(&function) {
                        functions.push(function);
                        add(mapped, entry);
                    }
                }
                continue;
            }
            if let Target::Spec(Location::Function(name)) = &target {
                for function in module.find_functions(name).unwrap_or_default() {
                    if let Some(entry) = function.entry
                        && let Some(line) = module.line_at(entry).map_err(symbol_error)?
                    {
                        add(mapped, line);
                    }
                }
                continue;
            }
            let places = match &target {
                Target::Addresses { addresses, .. } => addresses
                    .iter()
                    .filter(|address| (mapped.low..mapped.high).contains(address))
                    .map(|&address| mapped.loaded.address(address))
                    .collect(),
                target => super::locations::places_of(target, module)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|place| place.address)
                    .collect::<Vec<_>>(),
            };
            for address in places {
                if let Some(entry) = module.step_range(address).map_err(symbol_error)? {
                    add(mapped, entry);
                }
            }
        }
        if views.is_empty() {
            let trouble = self.debugger.places_in(&target, process).err();
            return match (trouble, &target) {
                (Some(trouble), _) => Err(trouble),
                (None, Target::Spec(Location::FileLine { file, line })) => {
                    Err(DebuggerError::NoCodeAtLine {
                        file: file.clone(),
                        line: *line,
                    })
                }
                (None, _) => Err(DebuggerError::Usage(format!(
                    "No line number information available for {location}."
                ))),
            };
        }
        Ok(views)
    }

    /// About the source file of the frame.
    pub fn info_source(&mut self) -> Result<SourceFileView> {
        let (id, backtrace, index) = self.walked()?;
        let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
        let position = frame.position.as_ref().ok_or_else(|| {
            DebuggerError::Usage(
                "No current source file: the selected frame has no line.".to_owned(),
            )
        })?;
        let (file, path) = (position.file.name.clone(), position.file.path.clone());
        let loaded = frame.module.as_ref();
        let unit = frame
            .scope
            .zip(loaded)
            .and_then(|(scope, loaded)| loaded.module.unit(scope.unit).ok());
        let dwarf_version = unit.as_ref().map(|unit| unit.unit.header.version());
        let language = frame.scope.map(|_| frame.language.name().to_owned());
        let module = self
            .debugger
            .process(id.process)?
            .space
            .mapped_at(frame.pc)
            .map(|mapped| mapped.path.clone());
        let lines = self
            .debugger
            .sources
            .text(&path)
            .ok()
            .map(|text| text.line_count() as u32);
        let directory = unit.as_ref().and_then(|unit| unit.unit.comp_dir.as_ref());
        let directory = directory.map(|directory| directory.to_string_lossy().into_owned());
        Ok(SourceFileView {
            file,
            full_path: path.display().to_string(),
            directory: directory
                .filter(|directory| !directory.is_empty())
                .or_else(|| parent(&path)),
            language,
            producer: unit.as_ref().and_then(wayfarer_symbols::Unit::producer),
            macros: unit
                .as_ref()
                .is_some_and(wayfarer_symbols::Unit::has_macros),
            module: module.unwrap_or_default(),
            dwarf_version,
            lines,
        })
    }
}

fn parent(path: &Path) -> Option<String> {
    path.parent().map(|parent| parent.display().to_string())
}

/// The lines round one line, as gdb centres them.
fn around(file: String, path: PathBuf, line: u32, size: u32) -> (String, PathBuf, u32, u32) {
    let first = line.saturating_sub(size / 2).max(1);
    (file, path, first, first.saturating_add(size - 1))
}
