//! What the unwinder asks of a process: its memory and which module is mapped where.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, RwLock};

use super::table::Row;
use crate::location::Memory;
use crate::registers::Registers;
use crate::{Module, ModuleAddress};

/// A module at its place in one process.
#[derive(Clone)]
pub struct LoadedModule {
    /// The file.
    pub module: Arc<Module>,
    /// Process address minus link-time address.
    pub bias: u64,
    /// Its functions are not the program's: a stack begins where it was called from.
    pub hidden: bool,
    jumps: Arc<RwLock<KnownJumps>>,
}

/// The tail calls found (or not) between a return address and the function that runs.
type KnownJumps = HashMap<(u64, u64), Option<Vec<u64>>>;

impl LoadedModule {
    pub fn new(module: Arc<Module>, bias: u64) -> LoadedModule {
        LoadedModule {
            module,
            bias,
            hidden: false,
            jumps: Arc::default(),
        }
    }

    /// The same module, whose functions are the program's or not.
    pub fn hidden(self, hidden: bool) -> LoadedModule {
        LoadedModule { hidden, ..self }
    }

    /// What [`LoadedModule::remember_jumps`] was told.
    pub(crate) fn known_jumps(&self, return_address: u64, start: u64) -> Option<Option<Vec<u64>>> {
        let known = self.jumps.read().ok()?;
        known.get(&(return_address, start)).cloned()
    }

    /// Keeps the tail calls that lead from a call to the function at `start`: the same pair comes
    /// again in every thread.
    pub(crate) fn remember_jumps(&self, return_address: u64, start: u64, jumps: Option<Vec<u64>>) {
        if let Ok(mut known) = self.jumps.write() {
            known.insert((return_address, start), jumps);
        }
    }

    /// The module's own address of a process address.
    pub fn address(&self, address: u64) -> ModuleAddress {
        ModuleAddress::from_process(address, self.bias)
    }

    /// How to unwind from the instruction at this process address.
    pub fn row(&self, address: u64) -> Result<Option<Arc<Row>>, gimli::Error> {
        let cache = &self.module.frame_cache.call_frames;
        cache.row(&self.module, self.address(address))
    }

    /// The process address where the function that contains this address begins: of a function in
    /// several parts its entry; its symbol, or what its call frame information describes.
    pub fn function_start(&self, address: u64) -> Option<u64> {
        let address = self.address(address);
        let cache = &self.module.frame_cache;
        let start = match cache.described(&self.module, address).start {
            Some(start) => start,
            None => {
                let range = cache.call_frames.described_range(&self.module, address)?;
                range.start
            }
        };
        Some(start.in_process(self.bias))
    }
}

/// One process, or what is left of it in a core file.
pub trait AddressSpace {
    /// Its memory.
    fn memory(&self) -> &dyn Memory;

    /// The module that is mapped at this process address.
    fn module_at(&self, address: u64) -> Option<LoadedModule>;

    /// All modules, the program itself first.
    fn modules(&self) -> Vec<LoadedModule>;

    /// Where code at this place is what a function returns to that a debugger called: the registers from before the
    /// call.
    fn before_call(&self, _pc: u64, _stack: u64) -> Option<Registers> {
        None
    }
}

/// The modules of a process, sorted by address.
#[derive(Clone, Default)]
pub struct ModuleMap {
    /// In the order in which they were added.
    modules: Vec<LoadedModule>,
    /// Address ranges and the index of their module, sorted.
    ranges: Vec<(Range<u64>, usize)>,
}

impl ModuleMap {
    /// Adds a module that occupies these process addresses.
    pub fn add(&mut self, module: LoadedModule, addresses: Range<u64>) {
        let index = self.modules.len();
        self.modules.push(module);
        let at = self
            .ranges
            .partition_point(|(range, _)| range.start < addresses.start);
        self.ranges.insert(at, (addresses, index));
    }

    /// The module at this process address.
    pub fn at(&self, address: u64) -> Option<&LoadedModule> {
        let after = self
            .ranges
            .partition_point(|(range, _)| range.start <= address);
        let (range, index) = self.ranges.get(after.checked_sub(1)?)?;
        if !range.contains(&address) {
            return None;
        }
        self.modules.get(*index)
    }

    /// All modules in the order in which they were added.
    pub fn all(&self) -> &[LoadedModule] {
        &self.modules
    }
}
