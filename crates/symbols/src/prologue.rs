//! Where the body of a function begins: chosen as gdb chooses it, so that stops agree.
//!
//! Optimised gcc code describes its variables everywhere, so a breakpoint goes to the very entry.
//! LLVM marks the end of the prologue in the line table, or at least begins a row there. For other code the frame set-up at the
//! entry is recognised, and the breakpoint goes to the next row after it.

use gimli::AttributeValue;

use crate::address::{AddressRange, ModuleAddress};
use crate::error::SymbolsError;
use crate::line_table::LineTable;
use crate::module::Module;
use crate::scope::ScopeKind;
use crate::unit::Unit;

impl Module {
    /// Where a breakpoint on the function at this entry address goes: after its prologue, as gdb
    /// chooses it.
    pub fn after_prologue(&self, entry: ModuleAddress) -> Result<ModuleAddress, SymbolsError> {
        let Some(unit) = self.unit_at(entry)? else {
            return Ok(self.after_frame_setup(entry));
        };
        let unit = self.unit(unit)?;
        let Some(bounds) = self.function_bounds(entry)? else {
            return Ok(self.after_frame_setup(entry));
        };
        let producer = unit.parsed.producer.as_deref().unwrap_or("");
        if producer.starts_with("GNU ") && has_location_lists(&unit) {
            return Ok(entry);
        }
        let table = self.line_table(&unit);
        let by_lines = producer
            .contains("clang ")
            .then(|| self.after_first_line(table, bounds))
            .transpose()?
            .flatten();
        let address = by_lines.unwrap_or_else(|| self.after_frame_setup(entry));
        // In the middle of a line: that line still belongs to the prologue.
        if let Some((sequence, index)) = table.find(address.0)
            && table.rows_of(sequence)[index].address != address.0
        {
            let end = ModuleAddress(table.end_of(sequence, index));
            if bounds.start <= end && end < bounds.end {
                return Ok(end);
            }
        }
        Ok(address)
    }

    /// The end of the first line of a function; `None` where the lines do not tell.
    fn after_first_line(
        &self,
        table: &LineTable,
        function: AddressRange,
    ) -> Result<Option<ModuleAddress>, SymbolsError> {
        let Some((sequence, index)) = table.find(function.start.0) else {
            return Ok(None);
        };
        let rows = table.rows_of(sequence);
        let first = rows[index];
        let marked = rows[index..].iter().find(|row| {
            row.is_prologue_end && row.file == first.file && row.address >= function.start.0
        });
        if let Some(marked) = marked.filter(|row| row.address < function.end.0) {
            return Ok(Some(ModuleAddress(marked.address)));
        }
        // Two rows for the entry: a prologue without instructions.
        let rows_at_entry = rows.iter().filter(|row| row.address == function.start.0);
        if rows_at_entry.count() > 1 {
            return Ok(Some(function.start));
        }
        let mut end = table.end_of(sequence, index);
        if end >= function.end.0 {
            return Ok(None);
        }
        while let Some((sequence, next)) = table.find(end) {
            let row = table.rows_of(sequence)[next];
            let goes_back = row.line < first.line && row.file == first.file;
            // A smaller line is the scheduler's work, unless it is of an inlined function.
            if !goes_back || self.is_in_inlined(ModuleAddress(end))? {
                break;
            }
            let after = table.end_of(sequence, next);
            if after >= function.end.0 {
                break;
            }
            end = after;
        }
        Ok(Some(ModuleAddress(end)))
    }

    fn is_in_inlined(&self, address: ModuleAddress) -> Result<bool, SymbolsError> {
        let scopes = self.scopes_at(address)?;
        Ok(scopes.iter().any(|scope| scope.kind == ScopeKind::Inlined))
    }

    /// Past `push %rbp; mov %rsp,%rbp`, if the code at an entry starts so.
    fn after_frame_setup(&self, entry: ModuleAddress) -> ModuleAddress {
        const LONGEST: usize = 32;
        let code = (0..=LONGEST)
            .rev()
            .find_map(|length| self.image_bytes(entry, length))
            .unwrap_or(&[]);
        let mut rest = code;
        for optional in [
            // endbr64
            &[0xf3, 0x0f, 0x1e, 0xfa][..],
            // lea 0x8(%rsp),%r10; and $-16,%rsp; push -0x8(%r10)
            &[
                0x4c, 0x8d, 0x54, 0x24, 0x08, 0x48, 0x83, 0xe4, 0xf0, 0x41, 0xff, 0x72, 0xf8,
            ],
        ] {
            rest = rest.strip_prefix(optional).unwrap_or(rest);
        }
        for setup in [
            &[0x55, 0x48, 0x89, 0xe5][..],
            &[0x55, 0x48, 0x8b, 0xec],
            &[0x40, 0x55, 0x48, 0x89, 0xe5],
            &[0x40, 0x55, 0x48, 0x8b, 0xec],
        ] {
            if let Some(after) = rest.strip_prefix(setup) {
                return entry.plus((code.len() - after.len()) as u64);
            }
        }
        entry
    }
}

/// Whether any variable of a unit has a location list.
fn has_location_lists(unit: &Unit<'_>) -> bool {
    *unit
        .parsed
        .has_location_lists
        .get_or_init(|| find_location_list(unit).unwrap_or(false))
}

fn find_location_list(unit: &Unit<'_>) -> gimli::Result<bool> {
    let mut raw = unit.unit.entries_raw(None)?;
    while !raw.is_empty() {
        let Some(abbreviation) = raw.read_abbreviation()? else {
            continue;
        };
        let is_variable = matches!(
            abbreviation.tag(),
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter
        );
        if !is_variable {
            raw.skip_attributes(abbreviation.attributes())?;
            continue;
        }
        for specification in abbreviation.attributes() {
            let attribute = raw.read_attribute(*specification)?;
            if attribute.name() == gimli::DW_AT_location
                && matches!(
                    attribute.value(),
                    AttributeValue::LocationListsRef(_)
                        | AttributeValue::DebugLocListsIndex(_)
                        | AttributeValue::SecOffset(_)
                )
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
