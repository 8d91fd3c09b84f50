//! One process as the symbol code sees it: memory and modules.

use std::collections::HashMap;
use std::sync::Arc;

use wayfarer_backend as backend;
use wayfarer_symbols::location::Memory;
use wayfarer_symbols::registers::Registers;
use wayfarer_symbols::unwind::{AddressSpace, LoadedModule, ModuleMap};

use super::{ModuleLibrary, ProcessMemory};

/// A module of a process with what the agent said about it.
#[derive(Clone)]
pub(crate) struct MappedModule {
    pub loaded: LoadedModule,
    pub low: u64,
    pub high: u64,
    pub path: String,
    pub is_program: bool,
}

/// Memory and modules of one process. Replaced as a whole when its modules change.
#[derive(Clone)]
pub(crate) struct Space {
    pub memory: Arc<ProcessMemory>,
    pub modules: Arc<Vec<MappedModule>>,
    map: Arc<ModuleMap>,
    calls: Arc<UnfinishedCalls>,
}

/// Program counter and stack pointer to which functions return that we have called, and the registers from before.
type UnfinishedCalls = HashMap<(u64, u64), Registers>;

impl Space {
    /// A process of which no module is known.
    pub fn empty(memory: Arc<ProcessMemory>) -> Space {
        Space {
            memory,
            modules: Arc::default(),
            map: Arc::default(),
            calls: Arc::default(),
        }
    }

    /// The same process with these modules; those that were there before keep what is known of them. Also returns
    /// messages about files that can't be used.
    pub fn with_modules(
        &self,
        listed: &[backend::Module],
        library: &mut ModuleLibrary,
    ) -> (Space, Vec<String>) {
        let mut problems = Vec::new();
        let mut modules: Vec<MappedModule> = Vec::new();
        for module in listed {
            let same = |old: &&MappedModule| {
                old.path == module.path && old.low == module.low && old.loaded.bias == module.bias
            };
            if let Some(old) = self.modules.iter().find(same) {
                modules.push(old.clone());
                continue;
            }
            match library.load(module, &self.memory) {
                Ok(file) => modules.push(MappedModule {
                    loaded: LoadedModule::new(file, module.bias).hidden(module.runtime),
                    low: module.low,
                    high: module.high,
                    path: module.path.clone(),
                    is_program: module.executable,
                }),
                Err(error) => problems.push(error.to_string()),
            }
        }
        modules.sort_by_key(|module| !module.is_program);
        let mut map = ModuleMap::default();
        for module in &modules {
            map.add(module.loaded.clone(), module.low..module.high);
        }
        let space = Space {
            memory: self.memory.clone(),
            modules: Arc::new(modules),
            map: Arc::new(map),
            calls: self.calls.clone(),
        };
        (space, problems)
    }

    /// The same modules over another process's memory: what a fork makes.
    pub fn forked(&self, memory: Arc<ProcessMemory>) -> Space {
        Space {
            memory,
            modules: self.modules.clone(),
            map: self.map.clone(),
            calls: self.calls.clone(),
        }
    }

    /// Says which calls of ours have not returned.
    pub fn set_calls(&mut self, calls: UnfinishedCalls) {
        self.calls = Arc::new(calls);
    }

    /// The module at an address.
    pub fn mapped_at(&self, address: u64) -> Option<&MappedModule> {
        self.modules
            .iter()
            .find(|module| (module.low..module.high).contains(&address))
    }

    /// `main+4` for an address, where a symbol covers it.
    pub fn symbolic(&self, address: u64) -> Option<String> {
        let loaded = self.map.at(address)?;
        loaded.module.symbolic_address(loaded.address(address))
    }
}

impl AddressSpace for Space {
    fn memory(&self) -> &dyn Memory {
        &*self.memory
    }

    fn module_at(&self, address: u64) -> Option<LoadedModule> {
        self.map.at(address).cloned()
    }

    fn modules(&self) -> Vec<LoadedModule> {
        self.map.all().to_vec()
    }

    fn before_call(&self, pc: u64, stack: u64) -> Option<Registers> {
        self.calls.get(&(pc, stack)).cloned()
    }
}
