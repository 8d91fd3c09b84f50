//! Every ELF file of the session, loaded once however many processes map it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use wayfarer_backend as backend;
use wayfarer_symbols::location::Memory;
use wayfarer_symbols::{LoadOptions, Module, SymbolsError};

use super::ProcessMemory;

type Loaded = Result<Arc<Module>, SymbolsError>;

/// The ELF files seen so far. Loading one reads its headers only.
#[derive(Default)]
pub(crate) struct ModuleLibrary {
    options: LoadOptions,
    /// By path and build id.
    known: HashMap<(String, Option<Vec<u8>>), Loaded>,
}

/// The vDSO is a few pages; anything larger is not one.
const LARGEST_IMAGE_IN_MEMORY: u64 = 1 << 20;

impl ModuleLibrary {
    /// The file of a mapped module. An error is remembered too, so that it is told once.
    pub fn load(
        &mut self,
        module: &backend::Module,
        memory: &ProcessMemory,
    ) -> Result<Arc<Module>, SymbolsError> {
        let key = (module.path.clone(), module.build_id.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let loaded = if module.path.starts_with('[') {
            self.load_from_memory(module, memory)
        } else {
            self.load_from_file(module)
        };
        self.known.insert(key, loaded.clone());
        loaded
    }

    fn load_from_file(&self, module: &backend::Module) -> Result<Arc<Module>, SymbolsError> {
        let plain = Path::new(&module.path);
        let usable = !module.deleted
            && Module::load(plain, &self.options).is_ok_and(|found| {
                module.build_id.is_none() || found.build_id() == module.build_id.as_deref()
            });
        match &module.open_path {
            Some(path) if !usable => Module::load(Path::new(path), &self.options),
            _ => Module::load(plain, &self.options),
        }
    }

    fn load_from_memory(
        &self,
        module: &backend::Module,
        memory: &ProcessMemory,
    ) -> Result<Arc<Module>, SymbolsError> {
        // Its section headers lie behind what it loads, on its last page.
        let end = module
            .high
            .checked_next_multiple_of(4096)
            .unwrap_or(module.high);
        let length = end.saturating_sub(module.low).min(LARGEST_IMAGE_IN_MEMORY);
        let mut bytes = vec![0; length as usize];
        memory
            .read(module.low, &mut bytes)
            .map_err(|error| SymbolsError::Unreadable {
                path: Path::new(&module.path).to_owned(),
                reason: error.to_string(),
            })?;
        Module::from_bytes(&module.path, bytes, &LoadOptions::alone())
    }
}
