//! Everything this crate does on arbitrary bytes, for the fuzzer: nothing may panic or hang.

use std::sync::Arc;

use crate::address::ModuleAddress;
use crate::die::{DieId, TypeId, UnitId};
use crate::index::format::Kind;
use crate::module::{LoadOptions, Module};
use crate::types::Type;

/// Questions of each kind that are asked of one module.
const MOST: usize = 200;

/// Loads bytes as a module and asks it everything.
pub fn load_bytes(bytes: &[u8]) {
    let options = LoadOptions::alone();
    let Ok(module) = Module::from_bytes("fuzz", bytes.to_vec(), &options) else {
        return;
    };
    ask_headers(&module);
    ask_names(&module);
    let mut addresses = ask_lines(&module);
    addresses.extend(module.symbols().take(MOST).map(|symbol| symbol.address));
    addresses.truncate(MOST);
    for address in addresses {
        ask_address(&module, address);
    }
}

fn ask_headers(module: &Module) {
    let _ = module.build_id();
    let _ = module.sections();
    let _ = module.interpreter();
    let _ = module.debug_file();
    let _ = module.tls_segment();
    let _ = module.vtable_owner(module.entry_point());
    let _ = module.bias_of_mapping(0x1000, 0);
    let _ = module.image_bytes(module.entry_point(), 16);
    if let Some((header, bases)) = module.eh_frame_hdr() {
        let _ = header.parse(&bases, 8);
    }
    let _ = (module.eh_frame(), module.debug_frame());
}

fn ask_names(module: &Module) {
    let found: Vec<_> = module.index().all().take(MOST).collect();
    for found in found {
        let name = module.index_qualified_name(&found);
        match found.entry.kind {
            Kind::Function => {
                let _ = module.function_places(&name);
                let _ = module.find_functions(&name);
            }
            Kind::Variable => drop(module.find_globals(&name)),
            Kind::Enumerator => drop(module.find_enumerators(&name)),
            Kind::Type => {
                for id in module.find_types(&name).unwrap_or_default() {
                    ask_type(module, id);
                }
            }
            Kind::Namespace | Kind::ForeignInline => {}
        }
        ask_type(module, TypeId(found.die()));
        let _ = module.variable(found.die());
        let _ = module.function(found.die());
    }
    let _ = module.nearest_functions("mian", 3);
    let _ = module.complete_function("ma", 10);
    let _ = module.functions_matching("^m");
    let _ = module.globals_matching("a");
}

fn ask_type(module: &Module, id: TypeId) {
    let _ = module.type_name(Some(id));
    let _ = module.size_of(id);
    let read: Result<Arc<Type>, _> = module.type_of(id);
    if let Ok(Type::Aggregate(aggregate)) = read.as_deref() {
        for member in &aggregate.members {
            let _ = module.type_name(member.type_id);
        }
    }
}

fn ask_lines(module: &Module) -> Vec<ModuleAddress> {
    let mut addresses = Vec::new();
    for number in 0..module.unit_count().min(MOST) {
        let Ok(unit) = module.unit(UnitId(number as u32)) else {
            continue;
        };
        let table = module.line_table(&unit);
        let rows = table.all_rows().take(MOST);
        addresses.extend(rows.map(|(_, _, row)| ModuleAddress(row.address)));
        // Offsets that no entry starts at must be refused or read as something harmless.
        for offset in 0..64 {
            let _ = module.variable(DieId {
                unit: unit.id,
                offset,
            });
        }
    }
    for file in module.source_files().unwrap_or_default().iter().take(8) {
        let _ = module.line_places(&file.name, 1);
        let _ = module.line_ranges(&file.name, 5);
    }
    addresses
}

fn ask_address(module: &Module, address: ModuleAddress) {
    let _ = module.line_at(address);
    let _ = module.step_range(address);
    let _ = module.function_at(address);
    let _ = module.after_prologue(address);
    let _ = module.symbolic_address(address);
    for variable in module.variables_at(address).unwrap_or_default() {
        let _ = module.type_name(variable.type_id);
    }
    for scope in module.scopes_at(address).unwrap_or_default() {
        let _ = module.function(scope.origin);
    }
}
