//! What names mean at an address of a process that was not stopped yet.

use std::sync::Arc;

use wayfarer_symbols::unwind::{AddressSpace, LoadedModule};

use super::storage::{Storage, storage_of};
use crate::types::{MadeType, TypeRef};

/// The names visible at an address.
pub(super) struct Names<'a> {
    space: &'a dyn AddressSpace,
    pc: u64,
    loaded: Option<LoadedModule>,
}

impl<'a> Names<'a> {
    pub(super) fn at(space: &'a dyn AddressSpace, pc: u64) -> Names<'a> {
        Names {
            space,
            pc,
            loaded: space.module_at(pc),
        }
    }

    /// A local, which hides everything else of its name: `Some(None)` is one that has no fixed place.
    pub(super) fn local(&self, name: &str) -> Option<Option<(TypeRef, Storage)>> {
        let loaded = self.loaded.as_ref()?;
        let variables = loaded.module.variables_at(loaded.address(self.pc)).ok()?;
        let variable = variables
            .into_iter()
            .find(|variable| variable.name == name)?;
        Some(
            storage_of(&variable, loaded, self.space, self.pc)
                .map(|storage| (TypeRef::known(&loaded.module, variable.type_id), storage)),
        )
    }

    /// A global, an enumerator or a function, of the module itself first.
    pub(super) fn global(&self, name: &str) -> Option<(TypeRef, Storage)> {
        self.modules().find_map(|loaded| {
            let variable = loaded.module.find_globals(name).ok()?.into_iter().next();
            if let Some(variable) = variable {
                let storage = storage_of(&variable, &loaded, self.space, self.pc)?;
                return Some((TypeRef::known(&loaded.module, variable.type_id), storage));
            }
            let constants = loaded.module.find_enumerators(name).ok()?;
            if let Some(constant) = constants.first() {
                return Some((
                    TypeRef::known(&loaded.module, Some(constant.type_id)),
                    Storage::Constant(constant.value.to_le_bytes().to_vec()),
                ));
            }
            let functions = loaded.module.find_functions(name).ok()?;
            let entry = functions.first()?.entry?;
            Some((
                TypeRef::Made(Arc::new(MadeType::CodeSymbol)),
                Storage::Memory {
                    register: None,
                    offset: entry.in_process(loaded.bias),
                },
            ))
        })
    }

    pub(super) fn type_named(&self, keyword: Option<&str>, name: &str) -> Option<TypeRef> {
        let full = match keyword {
            Some(keyword) => format!("{keyword} {name}"),
            None => name.to_string(),
        };
        self.modules().find_map(|loaded| {
            let found = loaded.module.find_types(&full).ok()?;
            Some(TypeRef::known(&loaded.module, Some(*found.first()?)))
        })
    }

    fn modules(&self) -> impl Iterator<Item = LoadedModule> {
        let own = self.loaded.clone();
        let bias = own.as_ref().map(|loaded| loaded.bias);
        own.into_iter().chain(
            self.space
                .modules()
                .into_iter()
                .filter(move |loaded| Some(loaded.bias) != bias),
        )
    }
}
