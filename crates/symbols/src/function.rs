//! Functions: by name, by pattern, by address.

use crate::address::{AddressRange, ModuleAddress};
use crate::die::{self, DieId, Entry, TypeId, UnitId};
use crate::error::SymbolsError;
use crate::index::Found;
use crate::index::format::{DECLARATION, HAS_CODE, INLINE, Kind};
use crate::language::Language;
use crate::line::SourcePosition;
use crate::module::Module;
use crate::names;
use crate::unit::Unit;

/// A function with debug information.
#[derive(Clone, Debug)]
pub struct Function {
    /// The concrete entry if there is one, otherwise the abstract one (inlined everywhere).
    pub die: DieId,
    pub unit: UnitId,
    pub language: Language,
    /// Without namespaces and classes: `push<int>`.
    pub short_name: String,
    /// As gdb shows it in frames: `ns::Class::method`, `alloc::vec::Vec<u8>::push`.
    pub name: String,
    pub linkage_name: Option<String>,
    /// The first range holds the entry. Empty: inlined everywhere.
    pub ranges: Vec<AddressRange>,
    pub entry: Option<ModuleAddress>,
    pub declared: Option<SourcePosition>,
    pub return_type: Option<TypeId>,
    pub is_external: bool,
    /// The class of a C++ method or the type of a Rust one, if it is inside a type.
    pub containing_type: Option<TypeId>,
}

/// A place in the code where a breakpoint can go.
#[derive(Clone, Debug, PartialEq)]
pub struct CodePlace {
    pub address: ModuleAddress,
    /// The function whose code it is (of an inlined one: that one), as frames show it.
    pub function: Option<String>,
    pub position: Option<SourcePosition>,
    /// The place is the start of an inlined copy.
    pub is_inlined: bool,
}

/// Names are not nested deeper than this.
const MOST_PARENTS: usize = 128;

impl Module {
    /// Functions (with debug information) by name. The name may be exact, qualified or the end of
    /// a qualified one, with or without parameter list (C++) or generic arguments. Those with
    /// code of their own come first.
    pub fn find_functions(&self, name: &str) -> Result<Vec<Function>, SymbolsError> {
        let mut found = self.function_entries(name);
        if found.is_empty() {
            return self.functions_of_symbols(name);
        }
        found.sort_by_key(|found| (!found.entry.is(HAS_CODE), found.index));
        found
            .iter()
            .filter(|found| found.entry.is(HAS_CODE) || found.entry.is(INLINE))
            .map(|found| self.function(found.die()))
            .collect()
    }

    /// The function with code of its own that a declaration, of a method say, stands for.
    pub fn definition_of(
        &self,
        declaration: DieId,
        name: &str,
    ) -> Result<Option<Function>, SymbolsError> {
        for found in self.function_entries(name) {
            if !found.entry.is(HAS_CODE) {
                continue;
            }
            let (unit, entry) = self.entry(found.die())?;
            let is_it = self.in_origins(&unit, &entry, |unit, entry| {
                (DieId::new(unit.id, entry.offset()) == declaration).then_some(())
            });
            if is_it.is_some() {
                return self.function(found.die()).map(Some);
            }
        }
        Ok(None)
    }

    /// The functions at the addresses of symbols of a name: aliases have only symbols.
    fn functions_of_symbols(&self, name: &str) -> Result<Vec<Function>, SymbolsError> {
        let mut functions = Vec::new();
        for symbol in self.symbols_named(name) {
            if let Some(function) = self.function_at(symbol.address)?
                && function.entry == Some(symbol.address)
            {
                functions.push(function);
            }
        }
        Ok(functions)
    }

    /// Entries of the index for functions of a name: definitions and abstract instances.
    pub(crate) fn function_entries(&self, name: &str) -> Vec<Found> {
        let (path, parameters) = names::split_parameters(name.trim());
        let mut found = self.lookup(path, Kind::Function);
        found.retain(|found| !found.entry.is(DECLARATION));
        if let Some(parameters) = parameters {
            found.retain(|found| self.parameter_names(found.die()) == parameters);
        }
        found.sort_by_key(|found| found.index);
        found
    }

    /// The types of the (visible) parameters of a function, without spaces.
    fn parameter_names(&self, function: DieId) -> Vec<String> {
        let Ok(children) = self.parameters(function) else {
            return Vec::new();
        };
        children
            .into_iter()
            .map(|type_id| names::plain_parameter(&self.type_name(type_id)))
            .collect()
    }

    /// The types of the parameters of a function that are written in the source.
    pub(crate) fn parameters(&self, function: DieId) -> Result<Vec<Option<TypeId>>, SymbolsError> {
        let (unit, _) = self.entry(function)?;
        let mut types = Vec::new();
        self.children(function, |entry| {
            if entry.tag() == gimli::DW_TAG_formal_parameter {
                let is_artificial = self
                    .in_origins(&unit, entry, |_, entry| {
                        die::flag(entry, gimli::DW_AT_artificial).then_some(())
                    })
                    .is_some();
                if !is_artificial {
                    types.push(self.type_attribute(&unit, entry));
                }
            }
        })?;
        Ok(types)
    }

    /// Calls `visit` for each child of an entry.
    pub(crate) fn children<'module>(
        &'module self,
        parent: DieId,
        mut visit: impl FnMut(&Entry<'module>),
    ) -> Result<(), SymbolsError> {
        let unit = self.unit(parent.unit)?;
        let damaged = |error| self.damaged(error);
        let offset = parent.unit_offset();
        let mut raw = unit.unit.entries_raw(Some(offset)).map_err(damaged)?;
        let mut entry = Entry::null();
        let mut is_first = true;
        while !raw.is_empty() {
            let depth = raw.next_depth();
            let is_entry = raw.read_entry(&mut entry).map_err(damaged)?;
            if is_first {
                if !is_entry || !entry.has_children() {
                    break;
                }
                is_first = false;
            } else if is_entry {
                if depth == 1 {
                    visit(&entry);
                }
            } else if raw.next_depth() <= 0 {
                break;
            }
        }
        Ok(())
    }

    /// Functions whose qualified or short name matches a regular expression, in order of their names.
    pub fn functions_matching(&self, pattern: &str) -> Result<Vec<Function>, SymbolsError> {
        let pattern = self.pattern(pattern)?;
        let mut found: Vec<(String, Found)> = self
            .index()
            .all()
            .filter(|found| found.entry.kind == Kind::Function && found.entry.is(HAS_CODE))
            .map(|found| (self.index_qualified_name(&found), found))
            .filter(|(name, found)| {
                pattern.is_match(name) || pattern.is_match(self.index_name(&found.entry))
            })
            .collect();
        found.sort_by(|left, right| left.0.cmp(&right.0));
        found
            .iter()
            .map(|(_, found)| self.function(found.die()))
            .collect()
    }

    pub(crate) fn pattern(&self, pattern: &str) -> Result<regex::Regex, SymbolsError> {
        regex::Regex::new(pattern).map_err(|error| SymbolsError::BadPattern {
            pattern: pattern.to_owned(),
            reason: error.to_string(),
        })
    }

    /// The function of an entry (subprogram, inlined subroutine, concrete or abstract).
    pub fn function(&self, die: DieId) -> Result<Function, SymbolsError> {
        let (unit, entry) = self.entry(die)?;
        let (name_die, short_name) = self
            .named_origin(&unit, &entry)
            .unwrap_or((die, String::new()));
        let parent = self.parent(name_die);
        let ranges = die::ranges(&unit, &entry);
        let linkage_name = self.in_origins(&unit, &entry, |unit, entry| {
            die::text(unit, entry, gimli::DW_AT_linkage_name)
                .or_else(|| die::text(unit, entry, gimli::DW_AT_MIPS_linkage_name))
        });
        let is_external = self.in_origins(&unit, &entry, |_, entry| {
            die::flag(entry, gimli::DW_AT_external).then_some(())
        });
        let (name, short_name) = match &linkage_name {
            // As gdb: a function of C goes by the name that the linker knows (`__GI_abort`).
            Some(linked) if unit.language == Language::C => (linked.clone(), linked.clone()),
            _ => (self.qualified_name(name_die, &short_name), short_name),
        };
        Ok(Function {
            die,
            unit: unit.id,
            language: unit.language,
            name,
            short_name,
            linkage_name,
            entry: ranges.first().map(|range| range.start),
            ranges,
            declared: self.declared(&unit, &entry),
            return_type: self.type_attribute(&unit, &entry),
            is_external: is_external.is_some(),
            containing_type: parent.filter(|parent| self.is_type(*parent)).map(TypeId),
        })
    }

    fn is_type(&self, die: DieId) -> bool {
        self.entry(die).is_ok_and(|(_, entry)| {
            matches!(
                entry.tag(),
                gimli::DW_TAG_structure_type
                    | gimli::DW_TAG_class_type
                    | gimli::DW_TAG_union_type
                    | gimli::DW_TAG_enumeration_type
            )
        })
    }

    /// Where an entry was declared.
    pub(crate) fn declared<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
    ) -> Option<SourcePosition> {
        let line = self.in_origins(unit, entry, |_, entry| {
            die::number(entry, gimli::DW_AT_decl_line)
        })?;
        // Line and file may come from different entries: each is inherited by itself.
        let file = self.in_origins(unit, entry, |unit, entry| {
            let file = die::number(entry, gimli::DW_AT_decl_file)?;
            self.file_of_unit(unit, file)
        })?;
        let column = self.in_origins(unit, entry, |_, entry| {
            die::number(entry, gimli::DW_AT_decl_column)
        });
        Some(SourcePosition {
            file,
            line,
            column: column.unwrap_or(0),
        })
    }

    /// The name of an entry with the namespaces and types it is in.
    pub(crate) fn qualified_name(&self, die: DieId, name: &str) -> String {
        let mut path = vec![name.to_owned()];
        let mut parent = self.parent(die);
        for _ in 0..MOST_PARENTS {
            let Some(next) = parent else { break };
            let Ok((unit, entry)) = self.entry(next) else {
                break;
            };
            match entry.tag() {
                // As gdb: what is local to a function is not qualified.
                gimli::DW_TAG_subprogram => break,
                gimli::DW_TAG_namespace => path.push(
                    die::text(&unit, &entry, gimli::DW_AT_name)
                        .unwrap_or_else(|| names::ANONYMOUS.to_owned()),
                ),
                _ => path.extend(die::text(&unit, &entry, gimli::DW_AT_name)),
            }
            parent = self.parent(next);
        }
        path.reverse();
        path.join("::")
    }

    /// The (not inlined) function that contains an address.
    pub fn function_at(&self, address: ModuleAddress) -> Result<Option<Function>, SymbolsError> {
        let Some(unit) = self.unit_at(address)? else {
            return Ok(None);
        };
        let unit = self.unit(unit)?;
        let function = self.outline(&unit).function_at(address);
        function
            .map(|offset| self.function(DieId::new(unit.id, offset)))
            .transpose()
    }
}
