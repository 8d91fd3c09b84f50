//! Where breakpoints on functions go: after prologues, and on every inlined copy.

use std::collections::BTreeMap;

use crate::address::ModuleAddress;
use crate::demangle::try_demangle;
use crate::die::{self, DieId, Entry, UnitId};
use crate::error::SymbolsError;
use crate::function::CodePlace;
use crate::index::format::{HAS_CODE, INLINE};
use crate::line::SourcePosition;
use crate::module::Module;
use crate::names;
use crate::scope::{Scope, ScopeKind};
use crate::symbol::SymbolKind;

/// So many names are offered for a misspelt one.
const SUGGESTIONS: usize = 3;

impl Module {
    /// The places of a breakpoint on functions of this name, after their prologues, and on every
    /// inlined copy. The name may be exact, qualified or the end of a qualified one, with or
    /// without parameter list (C++) or generic arguments. Symbols without debug information count
    /// too. An unknown name gives the nearest known ones in the error.
    pub fn function_places(&self, name: &str) -> Result<Vec<CodePlace>, SymbolsError> {
        let mut places = Vec::new();
        // Functions that were inlined, by the units that may hold copies of them.
        let mut inlined: BTreeMap<UnitId, Vec<DieId>> = BTreeMap::new();
        for found in self.function_entries(name) {
            let die = found.die();
            if found.entry.is(HAS_CODE) {
                places.extend(self.body_place(die)?);
            }
            if found.entry.is(INLINE) {
                let foreign = self.index().foreign_copies(die);
                for unit in std::iter::once(die.unit).chain(foreign) {
                    inlined.entry(unit).or_default().push(die);
                }
            }
        }
        for (unit, functions) in inlined {
            self.inlined_places(unit, &functions, &mut places)?;
        }
        if places.is_empty() {
            self.symbol_places(name, &mut places)?;
        }
        places.sort_by_key(|place| (place.address, place.is_inlined));
        places.dedup_by_key(|place| place.address);
        if places.is_empty() {
            return Err(SymbolsError::UnknownFunction {
                name: name.to_owned(),
                module: self.name(),
                nearest: self.nearest_functions(name, SUGGESTIONS),
            });
        }
        Ok(places)
    }

    /// The place of a breakpoint on a function with code of its own.
    pub(crate) fn body_place(&self, function: DieId) -> Result<Option<CodePlace>, SymbolsError> {
        let function = self.function(function)?;
        let Some(entry) = function.entry.filter(|entry| self.is_code(*entry)) else {
            return Ok(None);
        };
        let address = self.after_prologue(entry)?;
        let position = match address == entry {
            true => self.line_at(address)?.map(|line| line.position),
            false => self.shown_position(&self.scopes_at(address)?, address)?,
        };
        Ok(Some(CodePlace {
            address,
            function: Some(function.name),
            position,
            is_inlined: false,
        }))
    }

    /// As gdb shows the place after a prologue: code of an inlined function at its call.
    fn shown_position(
        &self,
        scopes: &[Scope],
        address: ModuleAddress,
    ) -> Result<Option<SourcePosition>, SymbolsError> {
        let inlined = scopes.iter().find(|scope| scope.kind == ScopeKind::Inlined);
        if let Some(call) = inlined.and_then(|scope| scope.call.as_ref()) {
            return Ok(Some(call.clone()));
        }
        Ok(self.line_at(address)?.map(|line| line.position))
    }

    /// An address as a place, moved to the end of the prologue if it lies in one.
    pub(crate) fn place_past_prologue(
        &self,
        address: ModuleAddress,
        scopes: &[Scope],
    ) -> Result<CodePlace, SymbolsError> {
        let mut address = address;
        if let Some(entry) = scopes.first().and_then(Scope::entry) {
            let bounds = scopes[0].ranges.first().copied();
            let body = self.after_prologue(entry)?;
            if bounds.is_some_and(|bounds| bounds.contains(address)) && address < body {
                address = body;
            }
        }
        let innermost = scopes
            .iter()
            .rev()
            .find(|scope| scope.kind != ScopeKind::Block);
        let function = innermost
            .map(|scope| self.function(scope.die))
            .transpose()?;
        Ok(CodePlace {
            address,
            function: function.map(|function| function.name),
            position: self.shown_position(&self.scopes_at(address)?, address)?,
            is_inlined: innermost.is_some_and(|scope| scope.kind == ScopeKind::Inlined),
        })
    }

    fn inlined_places(
        &self,
        unit: UnitId,
        functions: &[DieId],
        places: &mut Vec<CodePlace>,
    ) -> Result<(), SymbolsError> {
        for (function, entry) in self.inlined_entries(unit, functions)? {
            let address = match self.scopes_at(entry)?.first().and_then(Scope::entry) {
                Some(outer) => {
                    let body = self.after_prologue(outer)?;
                    // Only where both are in one piece can one be before the other.
                    if outer <= entry {
                        entry.max(body)
                    } else {
                        entry
                    }
                }
                None => entry,
            };
            places.push(CodePlace {
                address,
                function: Some(self.function(function)?.name),
                position: match address == entry {
                    true => self.line_at(address)?.map(|line| line.position),
                    false => self.shown_position(&self.scopes_at(address)?, address)?,
                },
                is_inlined: true,
            });
        }
        Ok(())
    }

    /// Where the copies of functions start that are inlined in a unit.
    fn inlined_entries(
        &self,
        unit: UnitId,
        functions: &[DieId],
    ) -> Result<Vec<(DieId, ModuleAddress)>, SymbolsError> {
        let unit = self.unit(unit)?;
        let mut found = Vec::new();
        let damaged = |error| self.damaged(error);
        let mut raw = unit.unit.entries_raw(None).map_err(damaged)?;
        let mut entry = Entry::null();
        while !raw.is_empty() {
            let mut peek = raw.clone();
            let abbreviation = peek.read_abbreviation().map_err(damaged)?;
            match abbreviation {
                None => raw = peek,
                Some(abbreviation) if abbreviation.tag() == gimli::DW_TAG_inlined_subroutine => {
                    raw.read_entry(&mut entry).map_err(damaged)?;
                    let origin = self.referred(&unit, &entry, gimli::DW_AT_abstract_origin);
                    if let Some(origin) = origin.filter(|origin| functions.contains(origin)) {
                        let ranges = die::ranges(&unit, &entry);
                        let start = ranges.first().map(|range| range.start);
                        let start = start.filter(|start| self.is_code(*start));
                        found.extend(start.map(|start| (origin, start)));
                    }
                }
                Some(abbreviation) => {
                    peek.skip_attributes(abbreviation.attributes())
                        .map_err(damaged)?;
                    raw = peek;
                }
            }
        }
        Ok(found)
    }

    /// Functions that only the symbol table knows, under their plain or demangled names.
    fn symbol_places(&self, name: &str, places: &mut Vec<CodePlace>) -> Result<(), SymbolsError> {
        let (path, parameters) = names::split_parameters(name.trim());
        let anchored = path.starts_with("::");
        let wanted = names::components(path.trim_start_matches("::"));
        for symbol in self.symbols() {
            let is_function = matches!(
                symbol.kind,
                SymbolKind::Function | SymbolKind::IndirectFunction
            );
            if !is_function {
                continue;
            }
            let demangled = match symbol.name == name {
                true => None,
                false => match try_demangle(symbol.name) {
                    Some(demangled)
                        if is_meant(&demangled, &wanted, anchored, parameters.as_deref()) =>
                    {
                        Some(demangled)
                    }
                    _ => continue,
                },
            };
            let address = self.after_prologue(symbol.address)?;
            places.push(CodePlace {
                address,
                function: Some(demangled.unwrap_or_else(|| symbol.name.to_owned())),
                position: self.line_at(address)?.map(|line| line.position),
                is_inlined: false,
            });
        }
        Ok(())
    }

    /// The known names that are nearest to a misspelt one.
    pub fn nearest_functions(&self, name: &str, most: usize) -> Vec<String> {
        use crate::index::format::Kind;
        let (path, _) = names::split_parameters(name.trim());
        let wanted = *names::components(path).last().unwrap_or(&path);
        let wanted = names::without_arguments(wanted);
        let limit = (wanted.chars().count() / 3).clamp(1, 4);
        let mut nearest: Vec<(usize, String)> = Vec::new();
        let mut offer = |known: &str, full: &mut dyn FnMut() -> String| {
            let known = names::without_arguments(known);
            if let Some(distance) = names::distance(wanted, known, limit) {
                nearest.push((distance, full()));
            }
        };
        for found in self.index().all() {
            if found.entry.kind == Kind::Function
                && (found.entry.is(HAS_CODE) || found.entry.is(INLINE))
            {
                offer(self.index_name(&found.entry), &mut || {
                    self.index_qualified_name(&found)
                });
            }
        }
        for symbol in self.symbols().filter(|symbol| symbol.is_code()) {
            if !symbol.name.starts_with("_Z") && !symbol.name.starts_with("_R") {
                offer(symbol.name, &mut || symbol.name.to_owned());
            }
        }
        let length_of_path = path.len();
        nearest.sort_by_key(|(distance, full)| {
            (*distance, full.len().abs_diff(length_of_path), full.clone())
        });
        nearest.dedup();
        let mut names: Vec<String> = Vec::new();
        for (_, full) in nearest {
            if names.len() < most && !names.contains(&full) {
                names.push(full);
            }
        }
        names
    }

    /// Qualified function names that start with a prefix or have a component that does, for
    /// completion.
    pub fn complete_function(&self, prefix: &str, most: usize) -> Vec<String> {
        use crate::index::format::Kind;
        let mut names = std::collections::BTreeSet::new();
        let wanted = names::components(prefix);
        let last = *wanted.last().unwrap_or(&"");
        for found in self.index().all() {
            if names.len() >= most {
                break;
            }
            let is_function = found.entry.kind == Kind::Function
                && (found.entry.is(HAS_CODE) || found.entry.is(INLINE));
            if !is_function {
                continue;
            }
            let starts = self.index_name(&found.entry).starts_with(last);
            if wanted.len() == 1 && starts {
                names.insert(self.index_qualified_name(&found));
            } else {
                let name = self.index_qualified_name(&found);
                if name.starts_with(prefix) || name.contains(&format!("::{prefix}")) {
                    names.insert(name);
                }
            }
        }
        for symbol in self.symbols().filter(|symbol| symbol.is_code()) {
            if names.len() >= most {
                break;
            }
            if symbol.name.starts_with(prefix) && !symbol.name.starts_with("_Z") {
                names.insert(symbol.name.to_owned());
            }
        }
        names.into_iter().collect()
    }
}

/// Whether a demangled name is, or ends in, a wanted path.
fn is_meant(
    demangled: &str,
    wanted: &[&str],
    anchored: bool,
    parameters: Option<&[String]>,
) -> bool {
    let (path, known_parameters) = names::split_parameters(demangled);
    if let (Some(wanted), Some(known)) = (parameters, known_parameters)
        && wanted != known
    {
        return false;
    }
    let known = names::components(path);
    if anchored && known.len() != wanted.len() {
        return false;
    }
    if names::path_matches(wanted, known.iter().rev().copied()) {
        return true;
    }
    // `Type::method` means Rust's `<path::Type as Trait>::method` too.
    let [first, rest @ ..] = known.as_slice() else {
        return false;
    };
    let Some(inside) = first.strip_prefix('<').and_then(|f| f.strip_suffix('>')) else {
        return false;
    };
    let own_type = inside.split(" as ").next().unwrap_or(inside);
    let mut full = names::components(own_type);
    full.extend(rest);
    names::path_matches(wanted, full.iter().rev().copied())
}
