//! The concrete type of a Rust trait object.

use wayfarer_symbols::unwind::LoadedModule;

use crate::types::TypeRef;

/// The type whose virtual table for some trait lies at an address of a module. For
/// [`crate::Scope::vtable_type`].
pub fn vtable_type(loaded: &LoadedModule, vtable: u64) -> Option<TypeRef> {
    let owner = loaded.module.vtable_owner(loaded.address(vtable))?;
    Some(TypeRef::known(&loaded.module, Some(owner)))
}
