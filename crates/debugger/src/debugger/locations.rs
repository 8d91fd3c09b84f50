//! From a typed location to addresses in modules and processes.

use std::path::Path;
use std::sync::Arc;

use wayfarer_symbols::{CodePlace, Module, SymbolsError};

use super::{At, Debugger};
use crate::breakpoint::Target;
use crate::{DebuggerError, Location, Result};

/// How many similar names an error offers.
const SIMILAR: usize = 5;

impl At<'_> {
    /// Makes a location independent of the frame.
    pub(super) fn settle(&mut self, location: &Location) -> Result<Target> {
        let spec = match location.clone() {
            Location::Here => {
                let (id, backtrace, index) = self.walked()?;
                let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
                return Ok(Target::Addresses {
                    process: id.process,
                    addresses: vec![frame.pc],
                });
            }
            Location::Address(expression) => {
                let address = self.address_value(&expression)?;
                let process = self.own_process()?;
                return Ok(Target::Addresses {
                    process,
                    addresses: vec![address],
                });
            }
            Location::Line(line) => Location::FileLine {
                file: self.default_position()?.0,
                line,
            },
            Location::Offset(offset) => {
                let (file, line) = self.default_position()?;
                let line = i64::from(line)
                    .saturating_add(offset)
                    .clamp(1, i64::from(u32::MAX)) as u32;
                Location::FileLine { file, line }
            }
            other => other,
        };
        Ok(Target::Spec(spec))
    }

    /// File (with its directory) and line that a bare line number refers to: what was listed last, the frame,
    /// or `main`.
    pub(super) fn default_position(&mut self) -> Result<(String, u32)> {
        if let Some(listed) = &self.listed {
            return Ok((
                listed.full_path.display().to_string(),
                listed.first.midpoint(listed.last),
            ));
        }
        if let Ok((_, backtrace, index)) = self.walked()
            && let Some(position) = backtrace
                .frames
                .get(index)
                .and_then(|frame| frame.position.as_ref())
        {
            return Ok((
                position.file.path.display().to_string(),
                position.line as u32,
            ));
        }
        let process = self.own_process()?;
        for mapped in self
            .debugger
            .process(process)?
            .space
            .modules
            .iter()
            .filter(|mapped| mapped.is_program)
        {
            let found = mapped
                .loaded
                .module
                .find_functions("main")
                .unwrap_or_default();
            if let Some(declared) = found.into_iter().find_map(|function| function.declared) {
                return Ok((
                    declared.file.path.display().to_string(),
                    declared.line as u32,
                ));
            }
        }
        Err(DebuggerError::Usage(
            "No default file: give the location as FILE:LINE.".to_owned(),
        ))
    }

    /// The addresses of a location in one process, or why there are none.
    pub(super) fn addresses_in(&mut self, location: &Location, process: u32) -> Result<Vec<u64>> {
        let target = self.settle(location)?;
        let places = self.debugger.places_in(&target, process)?;
        Ok(places.into_iter().map(|(address, _)| address).collect())
    }

    /// Where `jump` goes: the first address of the location.
    pub(super) fn jump_address(&mut self, location: &Location) -> Result<u64> {
        let process = self.stopped_thread()?.process;
        let addresses = self.addresses_in(location, process)?;
        addresses
            .first()
            .copied()
            .ok_or_else(|| DebuggerError::Usage(format!("No code at {location}.")))
    }
}

impl Debugger {
    /// All places of a target in one process; an error when there is none.
    pub(super) fn places_in(&self, target: &Target, process: u32) -> Result<Vec<(u64, CodePlace)>> {
        let space = self.process(process)?.space.clone();
        let mut found = Vec::new();
        let mut trouble: Vec<SymbolsError> = Vec::new();
        if let Target::Addresses { addresses, .. } = target {
            return Ok(addresses
                .iter()
                .map(|&address| (address, place_at(&space, address)))
                .collect());
        }
        for mapped in space.modules.iter() {
            if !found.is_empty() && !worth_asking(target, mapped) {
                continue;
            }
            match places_of(target, &mapped.loaded.module) {
                Ok(places) => found.extend(
                    places
                        .into_iter()
                        .map(|place| (place.address.in_process(mapped.loaded.bias), place)),
                ),
                Err(error) => trouble.push(error),
            }
        }
        if found.is_empty() {
            return Err(self.not_found(target, process, trouble));
        }
        Ok(found)
    }

    /// The best words for a location that exists in no module.
    pub(super) fn not_found(
        &self,
        target: &Target,
        process: u32,
        trouble: Vec<SymbolsError>,
    ) -> DebuggerError {
        let damaged = trouble.iter().find_map(|error| match error {
            SymbolsError::Damaged { module, reason } => {
                Some(DebuggerError::BadDebugInfo(module.clone(), reason.clone()))
            }
            _ => None,
        });
        let modules = self
            .process(process)
            .map(|process| process.space.modules.clone())
            .unwrap_or_default();
        let program = modules
            .iter()
            .find(|mapped| mapped.is_program)
            .or(modules.first());
        let bare = program.filter(|mapped| !mapped.loaded.module.has_debug_information());
        let no_lines = trouble.iter().find_map(|error| match error {
            SymbolsError::NoCodeAtLine { file, line } => Some(DebuggerError::NoCodeAtLine {
                file: file.clone(),
                line: *line as u32,
            }),
            _ => None,
        });
        let spec = match target {
            Target::Spec(spec) => spec,
            Target::Functions(names) => &Location::Function(names.join(" or ")),
            Target::Addresses { .. } => &Location::Here,
        };
        match spec {
            Location::Function(name) => damaged.unwrap_or_else(|| {
                let mut similar: Vec<String> = trouble
                    .into_iter()
                    .flat_map(|error| match error {
                        SymbolsError::UnknownFunction { nearest, .. } => nearest,
                        _ => Vec::new(),
                    })
                    .collect();
                if similar.is_empty()
                    && let Some(program) = program
                {
                    similar = program.loaded.module.nearest_functions(name, SIMILAR);
                }
                similar.truncate(SIMILAR);
                DebuggerError::UnknownFunction {
                    name: name.clone(),
                    similar,
                }
            }),
            Location::FileLine { file, .. } | Location::FileFunction { file, .. } => {
                match (no_lines, damaged, bare) {
                    (Some(no_lines), _, _) => no_lines,
                    (None, Some(damaged), _) => damaged,
                    (None, None, Some(bare)) => DebuggerError::NoDebugInfo(bare.path.clone()),
                    (None, None, None) => match spec {
                        Location::FileFunction { function, .. } if self.has_file(file, process) => {
                            DebuggerError::UnknownFunction {
                                name: format!("{function}\" in \"{file}"),
                                similar: Vec::new(),
                            }
                        }
                        _ => DebuggerError::UnknownFile {
                            name: file.clone(),
                            similar: self.similar_files(file, process),
                        },
                    },
                }
            }
            _ => DebuggerError::Usage("No code there.".to_owned()),
        }
    }

    fn has_file(&self, file: &str, process: u32) -> bool {
        let modules = self
            .process(process)
            .map(|process| process.space.modules.clone())
            .unwrap_or_default();
        modules.iter().any(|mapped| {
            mapped
                .loaded
                .module
                .find_source_files(file)
                .is_ok_and(|found| !found.is_empty())
        })
    }

    fn similar_files(&self, file: &str, process: u32) -> Vec<String> {
        let stem = Path::new(file)
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let modules = self
            .process(process)
            .map(|process| process.space.modules.clone())
            .unwrap_or_default();
        let mut similar: Vec<String> = Vec::new();
        for mapped in modules
            .iter()
            .filter(|mapped| mapped.is_program && !stem.is_empty())
        {
            for known in mapped.loaded.module.source_files().unwrap_or_default() {
                let name = known
                    .path
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default();
                if name.contains(&stem) && !similar.contains(&name) {
                    similar.push(name);
                }
            }
        }
        similar.truncate(SIMILAR);
        similar
    }
}

/// Whether a library is searched although the program has the function: only if its symbol table, which is quickly
/// read, has the name too. Its debug information may be large, and nobody has asked for it yet.
pub(super) fn worth_asking(target: &Target, mapped: &crate::session::MappedModule) -> bool {
    match target {
        Target::Spec(Location::Function(name)) if !mapped.is_program => {
            !mapped.loaded.module.symbols_named(name).is_empty()
        }
        _ => true,
    }
}

/// The places of a target in one module.
pub(super) fn places_of(
    target: &Target,
    module: &Arc<Module>,
) -> Result<Vec<CodePlace>, SymbolsError> {
    match target {
        Target::Spec(Location::Function(name)) => module.function_places(name),
        Target::Spec(Location::FileLine { file, line }) => {
            module.line_places(file, u64::from(*line))
        }
        Target::Spec(Location::FileFunction { file, function }) => {
            let mut places = module.function_places(function)?;
            places.retain(|place| {
                place.position.as_ref().is_some_and(|position| {
                    position.file.path.ends_with(file)
                        || Path::new(&position.file.name).ends_with(file)
                })
            });
            Ok(places)
        }
        Target::Functions(names) => {
            let mut all = Vec::new();
            for name in names {
                // What belongs to Rust's own runtime has a hash before its name.
                let mangled = format!("7___rustc{}{name}", name.len());
                // A stub that leads to it is not it.
                let found = module.symbols().find(|symbol| {
                    (symbol.name == *name || symbol.name.ends_with(&mangled))
                        && symbol.kind == wayfarer_symbols::SymbolKind::Function
                        && symbol.address.0 != 0
                });
                let Some(symbol) = found else {
                    continue;
                };
                let places = module.function_places(symbol.name).unwrap_or_default();
                if places.is_empty() {
                    all.push(CodePlace {
                        address: symbol.address,
                        function: Some((*name).to_owned()),
                        position: None,
                        is_inlined: false,
                    });
                }
                all.extend(places);
            }
            Ok(all)
        }
        Target::Spec(_) | Target::Addresses { .. } => Ok(Vec::new()),
    }
}

/// What is known about an address.
pub(super) fn place_at(space: &crate::session::Space, address: u64) -> CodePlace {
    use wayfarer_symbols::unwind::AddressSpace;
    let module = space.module_at(address);
    let own = module.as_ref().map(|loaded| loaded.address(address));
    let line = module
        .as_ref()
        .zip(own)
        .and_then(|(loaded, own)| loaded.module.line_at(own).ok().flatten());
    let function = module.as_ref().zip(own).and_then(|(loaded, own)| {
        let described = loaded
            .module
            .function_at(own)
            .ok()
            .flatten()
            .map(|function| function.name);
        described.or_else(|| loaded.module.symbolic_address(own))
    });
    CodePlace {
        address: own.unwrap_or_default(),
        function,
        position: line.map(|line| line.position),
        is_inlined: false,
    }
}

/// A symbol error as ours.
pub(super) fn symbol_error(error: SymbolsError) -> DebuggerError {
    match error {
        SymbolsError::Damaged { module, reason } => DebuggerError::BadDebugInfo(module, reason),
        SymbolsError::NoDebugInformation { module } => DebuggerError::NoDebugInfo(module),
        SymbolsError::UnknownFunction { name, nearest, .. } => DebuggerError::UnknownFunction {
            name,
            similar: nearest,
        },
        SymbolsError::UnknownFile { file, .. } => DebuggerError::UnknownFile {
            name: file,
            similar: Vec::new(),
        },
        SymbolsError::NoCodeAtLine { file, line } => DebuggerError::NoCodeAtLine {
            file,
            line: line as u32,
        },
        SymbolsError::BadPattern { reason, .. } => DebuggerError::Regex(reason),
        other => DebuggerError::Usage(other.to_string()),
    }
}
