//! The nested scopes round an address: function, inlined functions, lexical blocks.

use crate::address::{AddressRange, ModuleAddress};
use crate::die::{self, DieId, Entry};
use crate::error::SymbolsError;
use crate::line::SourcePosition;
use crate::module::Module;
use crate::unit::Unit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    Function,
    Inlined,
    Block,
}

/// One scope that contains an address.
#[derive(Clone, Debug)]
pub struct Scope {
    pub kind: ScopeKind,
    /// The entry with the addresses (concrete).
    pub die: DieId,
    /// What `die` is an instance of: of an inlined function its abstract instance; otherwise
    /// `die` itself.
    pub origin: DieId,
    pub ranges: Vec<AddressRange>,
    /// Of an inlined function: where it was called.
    pub call: Option<SourcePosition>,
}

impl Scope {
    /// The address where control enters the scope.
    pub fn entry(&self) -> Option<ModuleAddress> {
        self.ranges.first().map(|range| range.start)
    }
}

/// What kind of scope an entry opens, if it opens one.
pub(crate) fn kind_of(tag: gimli::DwTag) -> Option<ScopeKind> {
    match tag {
        gimli::DW_TAG_subprogram => Some(ScopeKind::Function),
        gimli::DW_TAG_inlined_subroutine => Some(ScopeKind::Inlined),
        gimli::DW_TAG_lexical_block | gimli::DW_TAG_try_block | gimli::DW_TAG_catch_block => {
            Some(ScopeKind::Block)
        }
        _ => None,
    }
}

impl Module {
    /// The scopes that contain an address, outermost (the function) first. Empty where no unit
    /// describes the address.
    pub fn scopes_at(&self, address: ModuleAddress) -> Result<Vec<Scope>, SymbolsError> {
        let Some(unit) = self.unit_at(address)? else {
            return Ok(Vec::new());
        };
        let unit = self.unit(unit)?;
        let Some(function) = self.outline(&unit).function_at(address) else {
            return Ok(Vec::new());
        };
        let mut scopes = Vec::new();
        self.descend(&unit, function, address, &mut scopes)
            .map_err(|error| self.damaged(error))?;
        Ok(scopes)
    }

    fn descend<'module>(
        &'module self,
        unit: &Unit<'module>,
        function: gimli::UnitOffset<usize>,
        address: ModuleAddress,
        scopes: &mut Vec<Scope>,
    ) -> gimli::Result<()> {
        let mut raw = unit.unit.entries_raw(Some(function))?;
        let mut entry = Entry::null();
        // Entries deeper than this lie in scopes that do not contain the address.
        let mut interesting = 0;
        // Of the innermost scope found so far: nothing beside it contains the address too.
        let mut found_depth = -1;
        while !raw.is_empty() {
            let depth = raw.next_depth();
            if !raw.read_entry(&mut entry)? {
                if raw.next_depth() <= 0 {
                    break;
                }
                continue;
            }
            if depth <= found_depth {
                break;
            }
            if depth > interesting {
                continue;
            }
            interesting = depth;
            let Some(kind) = kind_of(entry.tag()) else {
                if depth == 0 {
                    break;
                }
                continue;
            };
            if kind == ScopeKind::Function && depth > 0 {
                continue;
            }
            let ranges = die::ranges(unit, &entry);
            if ranges.is_empty() && kind == ScopeKind::Block {
                interesting = depth + 1;
                continue;
            }
            if !ranges.iter().any(|range| range.contains(address)) {
                if depth == 0 {
                    break;
                }
                continue;
            }
            scopes.push(self.scope(unit, &entry, kind, ranges));
            found_depth = depth;
            interesting = depth + 1;
            if !entry.has_children() {
                break;
            }
        }
        Ok(())
    }

    fn scope<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
        kind: ScopeKind,
        ranges: Vec<AddressRange>,
    ) -> Scope {
        let die = DieId::new(unit.id, entry.offset());
        let is_inlined = kind == ScopeKind::Inlined;
        let origin = is_inlined
            .then(|| self.referred(unit, entry, gimli::DW_AT_abstract_origin))
            .flatten();
        let call = is_inlined.then(|| {
            let file = die::number(entry, gimli::DW_AT_call_file)?;
            Some(SourcePosition {
                file: self.file_of_unit(unit, file)?,
                line: die::number(entry, gimli::DW_AT_call_line).unwrap_or(0),
                column: die::number(entry, gimli::DW_AT_call_column).unwrap_or(0),
            })
        });
        Scope {
            kind,
            die,
            origin: origin.unwrap_or(die),
            ranges,
            call: call.flatten(),
        }
    }
}
