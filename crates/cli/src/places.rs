//! Addresses in the code of recorded programs, as places in their sources.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use wayfarer_model::ProcessId;
use wayfarer_model::names::base_name;
use wayfarer_replay::{Module, Start};
use wayfarer_runtime_abi::record;
use wayfarer_symbols::{LoadOptions, Module as Symbols, ModuleAddress};
use wayfarer_trace::Trace;

/// A place in the code, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    pub address: u64,
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u64>,
    /// Path of the program or library.
    pub module: Option<String>,
    /// Within the module.
    pub offset: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let module = self.module.as_deref().map(base_name);
        match (&self.function, &self.file, module) {
            (Some(function), Some(file), _) => {
                let line = self
                    .line
                    .map_or_else(String::new, |line| format!(":{line}"));
                write!(formatter, "{function} at {}{line}", base_name(file))
            }
            (Some(function), None, Some(module)) => write!(formatter, "{function} of {module}"),
            (None, _, Some(module)) => {
                write!(formatter, "{module}+{:#x}", self.offset.unwrap_or(0))
            }
            _ => write!(formatter, "{:#x}", self.address),
        }
    }
}

/// The modules of each process, as its programs began.
pub struct Places<'a> {
    trace: &'a Trace,
    starts: BTreeMap<ProcessId, Vec<Vec<Module>>>,
    /// Symbols by path; `None`: the file is not there, or is another now.
    symbols: BTreeMap<Vec<u8>, Option<Arc<Symbols>>>,
}

impl<'a> Places<'a> {
    pub fn new(trace: &'a Trace) -> Self {
        let mut starts: BTreeMap<ProcessId, Vec<Vec<Module>>> = BTreeMap::new();
        for thread in trace.threads() {
            // A damaged log tells less; the places in it stay numbers.
            let _ = trace.read_log(thread.id, &mut |mut piece| {
                while let Ok(next) = record::read(piece) {
                    if next.tag == record::START
                        && let Some(start) = Start::parse(next.payload)
                    {
                        let of_process = starts.entry(thread.process).or_default();
                        of_process.push(start.modules);
                    }
                    piece = &piece[next.length..];
                }
            });
        }
        Self {
            trace,
            starts,
            symbols: BTreeMap::new(),
        }
    }

    /// What lies at an address of a process.
    pub fn of(&mut self, process: ProcessId, address: u64) -> Place {
        let unknown = Place {
            address,
            ..Place::default()
        };
        let Some((module, symbols)) = self.module_of(process, address) else {
            return unknown;
        };
        let place = Place {
            module: Some(module.path.to_string()),
            offset: Some(address - module.base),
            ..unknown
        };
        let Some(symbols) = symbols else {
            return place;
        };
        // The address is where a call returns to: the call is before it.
        let call = ModuleAddress::from_process(address.saturating_sub(1), module.base);
        let line = symbols.line_at(call).ok().flatten();
        let function = symbols.function_at(call).ok().flatten();
        Place {
            function: function
                .map(|function| function.name)
                .or_else(|| symbols.symbolic_address(call)),
            file: line
                .as_ref()
                .map(|line| line.position.file.path.display().to_string()),
            line: line
                .map(|line| line.position.line)
                .filter(|line| *line != 0),
            ..place
        }
    }

    /// The function that begins at an address of a process.
    pub fn function(&mut self, process: ProcessId, address: u64) -> Option<String> {
        let (module, symbols) = self.module_of(process, address)?;
        let (symbols, at) = (symbols?, ModuleAddress::from_process(address, module.base));
        let function = symbols.function_at(at).ok().flatten();
        function
            .map(|function| function.name)
            .or_else(|| symbols.symbolic_address(at))
    }

    /// The global variable at an address of a process, with an offset if it is within one.
    pub fn variable(&mut self, process: ProcessId, address: u64) -> Option<String> {
        let (module, symbols) = self.module_of(process, address)?;
        let at = ModuleAddress::from_process(address, module.base);
        symbols?.symbolic_address(at)
    }

    /// The module that has something at an address, and its symbols. A process that never began a program
    /// has the modules of its parent.
    fn module_of(
        &mut self,
        process: ProcessId,
        address: u64,
    ) -> Option<(Module, Option<Arc<Symbols>>)> {
        let mut at = process;
        let images = loop {
            if let Some(images) = self.starts.get(&at) {
                break images;
            }
            let parent = self.trace.process(at)?.parent;
            // A parent's number is smaller than its child's: no circle in a damaged table.
            if parent >= at {
                return None;
            }
            at = parent;
        };
        let mut unreadable = None;
        for modules in images.iter().rev() {
            let mut below: Vec<&Module> = modules
                .iter()
                .filter(|module| module.base <= address && !module.path.0.is_empty())
                .collect();
            below.sort_by_key(|module| std::cmp::Reverse(module.base));
            for module in below {
                let symbols = self
                    .symbols
                    .entry(module.path.0.clone())
                    .or_insert_with(|| load(module));
                match symbols {
                    Some(symbols) if covers(symbols, address - module.base) => {
                        return Some((module.clone(), Some(symbols.clone())));
                    }
                    Some(_) => {}
                    None => {
                        unreadable.get_or_insert(module);
                    }
                }
            }
        }
        unreadable.map(|module| (module.clone(), None))
    }
}

/// Symbols of a module, if its file is still the recorded one.
fn load(module: &Module) -> Option<Arc<Symbols>> {
    let path = Path::new(module.path.as_os_str());
    let symbols = Symbols::load(path, &LoadOptions::default()).ok()?;
    let same = symbols.build_id().unwrap_or_default() == module.build_id;
    same.then_some(symbols)
}

/// Whether an address lies in what is mapped of a module.
fn covers(symbols: &Symbols, address: u64) -> bool {
    symbols.segments().iter().any(|segment| {
        let within = address.checked_sub(segment.address.0);
        within.is_some_and(|within| within < segment.memory_size)
    })
}
