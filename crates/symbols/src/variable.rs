//! Variables: what they are, and those that are visible at an address.

use std::collections::HashSet;
use std::sync::Arc;

use gimli::AttributeValue;

use crate::address::ModuleAddress;
use crate::die::{self, DieId, Entry, TypeId};
use crate::error::SymbolsError;
use crate::line::SourcePosition;
use crate::module::Module;
use crate::scope::ScopeKind;
use crate::types::Constant;
use crate::unit::Unit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    Parameter,
    Local,
    /// A static of a file, a class or a namespace, a global.
    Global,
}

/// Where the value of a variable is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableLocation {
    /// No location at all: optimised away.
    OptimisedOut,
    Constant(Constant),
    /// A DWARF expression, with the encoding of the variable's unit.
    Expression(Arc<[u8]>),
    /// A location list of the variable's unit.
    List(gimli::LocationListsOffset<usize>),
}

#[derive(Clone, Debug)]
pub struct Variable {
    /// The concrete entry: its unit gives the context for `location`.
    pub die: DieId,
    pub kind: VariableKind,
    pub name: String,
    /// With namespaces, classes or function; the plain name for locals.
    pub qualified_name: String,
    pub type_id: Option<TypeId>,
    pub location: VariableLocation,
    pub declared: Option<SourcePosition>,
    /// How many scopes deep in the function it is: 0 for parameters and the outermost locals.
    pub depth: u32,
    /// Made by the compiler (`this`, captured references).
    pub is_artificial: bool,
    pub is_external: bool,
}

/// Blocks are not nested deeper than this.
const DEEPEST: u32 = 256;

impl Module {
    /// Parameters and locals of the innermost function (inlined ones count) at an address, inner
    /// scopes first, so that the first of a name is the visible one. Parameters come last, in
    /// their order.
    pub fn variables_at(&self, address: ModuleAddress) -> Result<Vec<Variable>, SymbolsError> {
        let scopes = self.scopes_at(address)?;
        let function = scopes
            .iter()
            .rev()
            .find(|scope| scope.kind != ScopeKind::Block);
        match function {
            Some(function) => self.variables_in(function.die, address),
            None => Ok(Vec::new()),
        }
    }

    /// Parameters and locals of one function scope (a [`crate::Scope`] of kind `Function` or
    /// `Inlined`) that are visible at an address, in the same order.
    pub fn variables_in(
        &self,
        function: DieId,
        address: ModuleAddress,
    ) -> Result<Vec<Variable>, SymbolsError> {
        let mut parameters = Vec::new();
        // Of each depth, the variables in their order.
        let mut levels: Vec<Vec<Variable>> = Vec::new();
        self.collect(function, address, 0, &mut parameters, &mut levels)?;
        let locals = levels.into_iter().rev().flatten();
        Ok(locals.chain(parameters).collect())
    }

    /// Collects the variables of a scope and of the blocks in it that contain the address.
    fn collect(
        &self,
        scope: DieId,
        address: ModuleAddress,
        depth: u32,
        parameters: &mut Vec<Variable>,
        levels: &mut Vec<Vec<Variable>>,
    ) -> Result<(), SymbolsError> {
        if depth > DEEPEST {
            return Ok(());
        }
        let mut instances = HashSet::new();
        let mut blocks = Vec::new();
        let mut found = Vec::new();
        let unit = self.unit(scope.unit)?;
        self.children(scope, |child| {
            instances.extend(self.referred(&unit, child, gimli::DW_AT_abstract_origin));
            self.sort_child(&unit, child, address, &mut found, &mut blocks);
        })?;
        // What the abstract function has and this instance does not was optimised away.
        let (_, entry) = self.entry(scope)?;
        if let Some(origin) = self.referred(&unit, &entry, gimli::DW_AT_abstract_origin) {
            self.collect_missing(origin, &instances, 0, &mut found)?;
        }
        let depth_index = depth as usize;
        if levels.len() <= depth_index {
            levels.resize_with(depth_index + 1, Vec::new);
        }
        for die in found {
            let mut variable = self.variable(die)?;
            variable.depth = depth;
            variable.qualified_name.clone_from(&variable.name);
            if variable.kind == VariableKind::Parameter {
                parameters.push(variable);
            } else {
                variable.kind = VariableKind::Local;
                levels[depth_index].push(variable);
            }
        }
        for (block, is_transparent) in blocks {
            let inner = if is_transparent { depth } else { depth + 1 };
            self.collect(block, address, inner, parameters, levels)?;
        }
        Ok(())
    }

    fn sort_child<'module>(
        &'module self,
        unit: &Unit<'module>,
        child: &Entry<'module>,
        address: ModuleAddress,
        found: &mut Vec<DieId>,
        blocks: &mut Vec<(DieId, bool)>,
    ) {
        let die = DieId::new(unit.id, child.offset());
        match child.tag() {
            gimli::DW_TAG_formal_parameter => found.push(die),
            gimli::DW_TAG_variable if !die::flag(child, gimli::DW_AT_declaration) => {
                found.push(die);
            }
            gimli::DW_TAG_lexical_block | gimli::DW_TAG_try_block | gimli::DW_TAG_catch_block => {
                let ranges = die::ranges(unit, child);
                if ranges.is_empty() || ranges.iter().any(|range| range.contains(address)) {
                    blocks.push((die, ranges.is_empty()));
                }
            }
            _ => {}
        }
    }

    /// Variables of an abstract function or block that have no instance.
    fn collect_missing(
        &self,
        origin: DieId,
        instances: &HashSet<DieId>,
        depth: u32,
        found: &mut Vec<DieId>,
    ) -> Result<(), SymbolsError> {
        if depth > DEEPEST {
            return Ok(());
        }
        let mut blocks = Vec::new();
        self.children(origin, |child| {
            let die = DieId::new(origin.unit, child.offset());
            if instances.contains(&die) {
                return;
            }
            match child.tag() {
                gimli::DW_TAG_formal_parameter => found.push(die),
                gimli::DW_TAG_variable if !die::flag(child, gimli::DW_AT_declaration) => {
                    found.push(die);
                }
                gimli::DW_TAG_lexical_block => blocks.push(die),
                _ => {}
            }
        })?;
        for block in blocks {
            self.collect_missing(block, instances, depth + 1, found)?;
        }
        Ok(())
    }

    /// The variable of an entry.
    pub fn variable(&self, die: DieId) -> Result<Variable, SymbolsError> {
        let (unit, entry) = self.entry(die)?;
        let (name_die, name) = self
            .named_origin(&unit, &entry)
            .unwrap_or((die, String::new()));
        let type_id = self.type_attribute(&unit, &entry);
        let has_flag = |attribute| {
            self.in_origins(&unit, &entry, |_, entry| {
                die::flag(entry, attribute).then_some(())
            })
            .is_some()
        };
        Ok(Variable {
            die,
            kind: match entry.tag() {
                gimli::DW_TAG_formal_parameter => VariableKind::Parameter,
                _ => VariableKind::Global,
            },
            qualified_name: self.qualified_name(name_die, &name),
            name,
            location: self.variable_location(&unit, &entry, type_id),
            type_id,
            declared: self.declared(&unit, &entry),
            depth: 0,
            is_artificial: has_flag(gimli::DW_AT_artificial),
            is_external: has_flag(gimli::DW_AT_external),
        })
    }

    fn variable_location<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
        type_id: Option<TypeId>,
    ) -> VariableLocation {
        match entry.attr_value(gimli::DW_AT_location) {
            Some(AttributeValue::Exprloc(expression)) if !expression.0.is_empty() => {
                return VariableLocation::Expression(Arc::from(expression.0.slice()));
            }
            Some(AttributeValue::Block(block)) if !block.is_empty() => {
                return VariableLocation::Expression(Arc::from(block.slice()));
            }
            Some(value) => {
                let offset = unit.unit_ref().attr_locations_offset(value);
                if let Ok(Some(offset)) = offset {
                    return VariableLocation::List(offset);
                }
            }
            None => {}
        }
        self.in_origins(unit, entry, |_, entry| self.constant(entry, type_id))
            .map_or(VariableLocation::OptimisedOut, VariableLocation::Constant)
    }
}
