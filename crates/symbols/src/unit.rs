//! The units of the debug information, parsed one by one when they are needed.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use gimli::{AttributeValue, UnitHeader, UnitSectionOffset, UnitType};

use crate::address::ModuleAddress;
use crate::die::{DieId, UnitId};
use crate::dwarf_file::DwarfFile;
use crate::error::SymbolsError;
use crate::language::Language;
use crate::line::SourceFile;
use crate::line_table::LineTable;
use crate::module::Module;
use crate::outline::Outline;
use crate::split;

/// How DWARF is read: plain slices of what the module holds.
pub type Reader<'module> = gimli::EndianSlice<'module, gimli::LittleEndian>;

/// One parsed unit, with the file it comes from. For split DWARF this is the unit of the `.dwo`,
/// joined with what its skeleton says.
#[derive(Clone, Copy)]
pub struct Unit<'module> {
    pub id: UnitId,
    pub dwarf: &'module gimli::Dwarf<Reader<'module>>,
    pub unit: &'module gimli::Unit<Reader<'module>>,
    pub language: Language,
    pub(crate) parsed: &'module Parsed,
}

impl<'module> Unit<'module> {
    /// gimli's pair of file and unit, which reads attributes.
    pub fn unit_ref(&self) -> gimli::UnitRef<'module, Reader<'module>> {
        gimli::UnitRef::new(self.dwarf, self.unit)
    }

    /// The unit that has the line program: the skeleton of a split one.
    pub fn line_unit(&self) -> &'module gimli::Unit<Reader<'module>> {
        self.parsed.skeleton.as_ref().unwrap_or(self.unit)
    }
}

/// A unit that is known by its header only until it is needed.
pub(crate) struct Slot {
    pub(crate) header: UnitHeader<Reader<'static>>,
    pub(crate) is_supplementary: bool,
    parsed: OnceLock<Result<Box<Parsed>, SymbolsError>>,
}

impl Slot {
    pub(crate) fn is_type_unit(&self) -> bool {
        matches!(self.header.type_(), UnitType::Type { .. })
    }
}

/// What parsing a unit gave, and what was computed from it since.
pub(crate) struct Parsed {
    unit: gimli::Unit<Reader<'static>>,
    skeleton: Option<gimli::Unit<Reader<'static>>>,
    split: Option<DwarfFile>,
    language: Language,
    pub(crate) producer: Option<String>,
    pub(crate) outline: OnceLock<Outline>,
    pub(crate) lines: OnceLock<Arc<LineTable>>,
    pub(crate) files: OnceLock<Arc<[Option<Arc<SourceFile>>]>>,
    pub(crate) has_location_lists: OnceLock<bool>,
}

impl Parsed {
    pub(crate) fn is_split(&self) -> bool {
        self.split.is_some()
    }
}

/// So much of the section is walked over before its pages are given back.
const BETWEEN_FORGETTING: usize = 4 << 20;

/// All units of a module.
#[derive(Default)]
pub(crate) struct Units {
    pub(crate) slots: Vec<Slot>,
    /// Those of `.debug_info`, in order of their offsets.
    pub(crate) main: Range<usize>,
    types: Range<usize>,
    supplementary: Range<usize>,
    /// Type units by signature.
    signatures: HashMap<u64, u32>,
    /// Why the list ends before the section does.
    pub(crate) damage: Option<String>,
}

impl Units {
    fn list(file: &DwarfFile) -> Units {
        let mut units = Units::default();
        let dwarf = file.dwarf_for_owner();
        let mut headers = dwarf.units();
        let mut walked = 0;
        units.take(
            || {
                let header = headers.next();
                // The headers are spread over the whole section, which need not stay in memory for them.
                if let Ok(Some(header)) = &header
                    && let Some(offset) = header.debug_info_offset()
                    && offset.0 - walked >= BETWEEN_FORGETTING
                {
                    file.forget_info(walked..offset.0);
                    walked = offset.0;
                }
                header
            },
            false,
        );
        file.forget_info(walked..usize::MAX);
        units.main = 0..units.slots.len();
        let mut headers = dwarf.type_units();
        units.take(|| headers.next(), false);
        units.types = units.main.end..units.slots.len();
        if let Some(supplementary) = dwarf.sup() {
            let mut headers = supplementary.units();
            units.take(|| headers.next(), true);
        }
        units.supplementary = units.types.end..units.slots.len();
        units
    }

    fn take(
        &mut self,
        mut next: impl FnMut() -> gimli::Result<Option<UnitHeader<Reader<'static>>>>,
        is_supplementary: bool,
    ) {
        loop {
            let header = match next() {
                Ok(Some(header)) => header,
                Ok(None) => return,
                Err(error) => {
                    self.damage = Some(error.to_string());
                    return;
                }
            };
            // Offsets in a unit are kept in 32 bits.
            if u32::try_from(header.length_including_self()).is_err() {
                continue;
            }
            if let UnitType::Type { type_signature, .. } = header.type_() {
                self.signatures
                    .entry(type_signature.0)
                    .or_insert(self.slots.len() as u32);
            }
            self.slots.push(Slot {
                header,
                is_supplementary,
                parsed: OnceLock::new(),
            });
        }
    }

    /// The unit among `range` whose header or entries lie at this offset of its section.
    fn containing(&self, range: Range<usize>, offset: usize) -> Option<(UnitId, usize)> {
        let first = range.start;
        let slots = self.slots.get(range)?;
        let start_of = |slot: &Slot| slot.header.offset().0;
        let after = slots.partition_point(|slot| start_of(slot) <= offset);
        let slot = slots.get(after.checked_sub(1)?)?;
        let inside = offset - start_of(slot);
        (inside < slot.header.length_including_self())
            .then_some((UnitId((first + after - 1) as u32), inside))
    }
}

impl Module {
    pub(crate) fn units(&self) -> &Units {
        self.units.get_or_init(|| match self.dwarf_file() {
            Some(file) => Units::list(file),
            None => Units::default(),
        })
    }

    /// How many units there are.
    pub fn unit_count(&self) -> usize {
        self.units().slots.len()
    }

    /// The language of the code at an address.
    pub fn language_at(&self, address: ModuleAddress) -> Option<Language> {
        let unit = self.unit_at(address).ok()??;
        Some(self.unit(unit).ok()?.language)
    }

    /// All units' numbers.
    pub fn unit_ids(&self) -> impl Iterator<Item = UnitId> + use<> {
        (0..self.unit_count() as u32).map(UnitId)
    }

    /// One unit.
    pub fn unit(&self, id: UnitId) -> Result<Unit<'_>, SymbolsError> {
        let slot = self
            .units()
            .slots
            .get(id.0 as usize)
            .ok_or_else(|| self.damaged("a reference to a unit that is not there"))?;
        let parsed = slot
            .parsed
            .get_or_init(|| self.parse_unit(slot).map(Box::new))
            .as_ref()
            .map_err(Clone::clone)?;
        Ok(Unit {
            id,
            dwarf: self.dwarf_of(slot, parsed)?,
            unit: &parsed.unit,
            language: parsed.language,
            parsed,
        })
    }

    fn dwarf_of<'module>(
        &'module self,
        slot: &Slot,
        parsed: &'module Parsed,
    ) -> Result<&'module gimli::Dwarf<Reader<'module>>, SymbolsError> {
        if let Some(split) = &parsed.split {
            return Ok(split.dwarf());
        }
        let file = self.dwarf_file().map(DwarfFile::dwarf);
        let file = if slot.is_supplementary {
            file.and_then(gimli::Dwarf::sup)
        } else {
            file
        };
        file.ok_or_else(|| self.damaged("a unit without its file"))
    }

    fn parse_unit(&self, slot: &Slot) -> Result<Parsed, SymbolsError> {
        let file = self
            .dwarf_file()
            .ok_or_else(|| self.damaged("a unit without its file"))?;
        let main = file.dwarf_for_owner();
        let dwarf = match (slot.is_supplementary, main.sup()) {
            (true, Some(supplementary)) => supplementary,
            _ => main,
        };
        let unit = dwarf
            .unit(slot.header)
            .map_err(|error| self.damaged(error))?;
        let (unit, skeleton, split) = match split::load(self, file, &unit) {
            Some((split_unit, split_file)) => (split_unit, Some(unit), Some(split_file)),
            None => (unit, None, None),
        };
        let (language, producer) = {
            let dwarf = split.as_ref().map_or(dwarf, DwarfFile::dwarf_for_owner);
            describe(&gimli::UnitRef::new(dwarf, &unit))
        };
        Ok(Parsed {
            unit,
            skeleton,
            split,
            language,
            producer,
            outline: OnceLock::new(),
            lines: OnceLock::new(),
            files: OnceLock::new(),
            has_location_lists: OnceLock::new(),
        })
    }

    /// The entry that an attribute of an entry of `unit` refers to, in whatever unit or file it is.
    pub fn resolve(
        &self,
        unit: UnitId,
        value: AttributeValue<Reader<'_>>,
    ) -> Result<Option<DieId>, SymbolsError> {
        let units = self.units();
        let own = units.slots.get(unit.0 as usize);
        let is_supplementary = own.is_some_and(|slot| slot.is_supplementary);
        let found = match value {
            AttributeValue::UnitRef(offset) => return Ok(Some(DieId::new(unit, offset))),
            AttributeValue::DebugInfoRef(offset) => {
                let unit = self.unit(unit)?;
                if unit.parsed.split.is_some() {
                    let inside = UnitSectionOffset(offset.0).to_unit_offset(&unit.unit.header);
                    return Ok(inside.map(|offset| DieId::new(unit.id, offset)));
                }
                let range = if is_supplementary {
                    units.supplementary.clone()
                } else {
                    units.main.clone()
                };
                units.containing(range, offset.0)
            }
            AttributeValue::DebugInfoRefSup(offset) => {
                units.containing(units.supplementary.clone(), offset.0)
            }
            AttributeValue::DebugTypesRef(signature) => {
                units.signatures.get(&signature.0).and_then(|unit| {
                    let header = &units.slots.get(*unit as usize)?.header;
                    match header.type_() {
                        UnitType::Type { type_offset, .. } => Some((UnitId(*unit), type_offset.0)),
                        _ => None,
                    }
                })
            }
            _ => return Ok(None),
        };
        Ok(found.map(|(unit, offset)| DieId::new(unit, gimli::UnitOffset(offset))))
    }
}

fn describe(unit: &gimli::UnitRef<'_, Reader<'static>>) -> (Language, Option<String>) {
    let Ok(root) = unit.entry(unit.header.root_offset()) else {
        return (Language::Other, None);
    };
    let language = match root.attr_value(gimli::DW_AT_language) {
        Some(AttributeValue::Language(language)) => Language::from_dwarf(language),
        _ => Language::Other,
    };
    let producer = root
        .attr_value(gimli::DW_AT_producer)
        .and_then(|value| unit.attr_string(value).ok())
        .map(|text| text.to_string_lossy().into_owned());
    (language, producer)
}

impl Unit<'_> {
    /// What the compiler calls itself, with its options.
    pub fn producer(&self) -> Option<String> {
        self.parsed.producer.clone()
    }

    /// Whether the macros of the source are described (`-g3`).
    pub fn has_macros(&self) -> bool {
        let tables = [
            gimli::DW_AT_macros,
            gimli::DW_AT_GNU_macros,
            gimli::DW_AT_macro_info,
        ];
        match self.unit.entry(self.unit.header.root_offset()) {
            Ok(root) => tables.into_iter().any(|table| root.has_attr(table)),
            Err(_) => false,
        }
    }
}
