//! The virtual tables of Rust's trait objects: the compiler describes each as a variable named
//! `<Type as Trait>::{vtable}` whose type says which type it is for.

use std::collections::HashMap;

use gimli::{AttributeValue, Operation};

use crate::ModuleAddress;
use crate::die::{DieId, TypeId};
use crate::index::format::Kind;
use crate::module::Module;

impl Module {
    /// The type whose virtual table for some trait begins at an address.
    pub fn vtable_owner(&self, address: ModuleAddress) -> Option<TypeId> {
        let tables = self.frame_cache.vtables.get_or_init(|| self.vtables());
        let (unit, entry) = self.entry(*tables.get(&address)?).ok()?;
        let table = self.referred(&unit, &entry, gimli::DW_AT_type)?;
        let (unit, entry) = self.entry(table).ok()?;
        self.referred(&unit, &entry, gimli::DW_AT_containing_type)
            .map(TypeId)
    }

    fn vtables(&self) -> HashMap<ModuleAddress, DieId> {
        let is_table = |name: &str| name.ends_with("::{vtable}");
        self.index()
            .all()
            .filter(|found| found.entry.kind == Kind::Variable)
            .filter(|found| is_table(self.index_name(&found.entry)))
            .filter_map(|found| Some((self.fixed_address(found.die())?, found.die())))
            .collect()
    }

    /// The address that a variable's location states outright.
    fn fixed_address(&self, die: DieId) -> Option<ModuleAddress> {
        let (unit, entry) = self.entry(die).ok()?;
        let location = match entry.attr_value(gimli::DW_AT_location)? {
            AttributeValue::Exprloc(location) => location,
            _ => return None,
        };
        match location.operations(unit.unit.encoding()).next().ok()?? {
            Operation::Address { address } => Some(ModuleAddress(address)),
            Operation::AddressIndex { index } => {
                unit.unit_ref().address(index).ok().map(ModuleAddress)
            }
            _ => None,
        }
    }
}
