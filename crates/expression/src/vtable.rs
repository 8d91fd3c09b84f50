//! The concrete type behind a Rust trait object.

use wayfarer_symbols::location::{NoMemory, Place};
use wayfarer_symbols::unwind::{AddressSpace, LoadedModule};

use crate::types::TypeRef;

/// The type whose virtual table for some trait lies at an address of a module: the compiler
/// describes each table as a variable named `<Type as Trait>::{vtable}`. For
/// [`crate::Scope::vtable_type`].
pub fn vtable_type(loaded: &LoadedModule, vtable: u64) -> Option<TypeRef> {
    let tables = loaded.module.globals_matching(r"\{vtable\}$").ok()?;
    let space = NoSpace;
    let viewpoint = wayfarer_symbols::frames::Viewpoint::global(&space, loaded);
    let table = tables
        .iter()
        .find(|table| viewpoint.place_of(table) == Place::Memory(vtable))?;
    let name = concrete_name(&table.name).or_else(|| concrete_name(&table.qualified_name))?;
    let found = loaded.module.find_types(name).ok()?;
    Some(TypeRef::known(&loaded.module, Some(*found.first()?)))
}

/// `Type` of `<Type as Trait>::{vtable}`, with any brackets in it.
fn concrete_name(name: &str) -> Option<&str> {
    let inner = name.strip_prefix('<')?;
    let mut depth = 0usize;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' | b')' | b']' => depth = depth.checked_sub(1)?,
            b' ' if depth == 0 && inner[at..].starts_with(" as ") => return Some(&inner[..at]),
            _ => {}
        }
    }
    None
}

/// Virtual tables have fixed places: nothing of the process is needed.
struct NoSpace;

impl AddressSpace for NoSpace {
    fn memory(&self) -> &dyn wayfarer_symbols::location::Memory {
        &NoMemory
    }

    fn module_at(&self, _: u64) -> Option<LoadedModule> {
        None
    }

    fn modules(&self) -> Vec<LoadedModule> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::concrete_name;

    #[test]
    fn the_type_is_what_stands_before_the_trait() {
        assert_eq!(
            concrete_name("<zoo::Dog as zoo::Animal>::{vtable}"),
            Some("zoo::Dog")
        );
        assert_eq!(
            concrete_name("<alloc::vec::Vec<(u8, dyn A as B)> as T>::{vtable}"),
            Some("alloc::vec::Vec<(u8, dyn A as B)>")
        );
        assert_eq!(concrete_name("plain"), None);
    }
}
