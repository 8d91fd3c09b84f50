//! `set print object`: the class that an object really is, by its virtual table.

use super::Opener;
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

/// What stands before the address that an object's pointer to its virtual table holds: the distance
/// to the start of the whole object, then the type information.
const TABLE_HEADER: u64 = 16;

impl Opener<'_> {
    /// The whole object that a part of it at an address belongs to.
    pub(super) fn whole_object(&mut self, part: &TypeRef, address: u64) -> Option<Value> {
        let Shape::Aggregate(structure) = part.shape() else {
            return None;
        };
        if !is_dynamic(&structure, 0) {
            return None;
        }
        let table = self.word(address)?;
        let symbol = self.scope.symbol_at(table)?;
        let class = symbol.name.strip_prefix("vtable for ")?.to_string();
        let type_ref = self.scope.type_named(None, &class)?;
        let to_start = self.word(table.wrapping_sub(TABLE_HEADER))?;
        Some(Value::in_memory(type_ref, address.wrapping_add(to_start)))
    }

    fn word(&mut self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.scope.read(address, &mut bytes).ok()?;
        Some(u64::from_le_bytes(bytes))
    }
}

/// Whether a class has a virtual table at its start, of its own or of its first base.
fn is_dynamic(structure: &Structure, depth: usize) -> bool {
    if structure.is_dynamic || depth > 16 {
        return structure.is_dynamic;
    }
    structure.bases.first().is_some_and(|base| {
        match structure.member_type(Some(base.type_id)).shape() {
            Shape::Aggregate(class) => is_dynamic(&class, depth + 1),
            _ => false,
        }
    })
}
