//! Where a debugging information entry is, and how its common attributes are read.

use gimli::{AttributeValue, DebuggingInformationEntry};

use crate::address::AddressRange;
use crate::error::SymbolsError;
use crate::module::Module;
use crate::unit::{Reader, Unit};

/// One unit of the debug information of a module (of any of its files).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UnitId(pub u32);

/// A debugging information entry of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DieId {
    pub unit: UnitId,
    /// From the start of the unit's header, as in `gimli::UnitOffset`.
    pub offset: u32,
}

impl DieId {
    pub fn new(unit: UnitId, offset: gimli::UnitOffset<usize>) -> DieId {
        DieId {
            unit,
            // Units of 4 GiB and more are refused when they are listed.
            offset: u32::try_from(offset.0).unwrap_or(u32::MAX),
        }
    }

    pub fn unit_offset(self) -> gimli::UnitOffset<usize> {
        gimli::UnitOffset(self.offset as usize)
    }
}

/// A type of a module; [`crate::Module::type_of`] reads it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub DieId);

/// An entry with the unit it is in.
pub type Entry<'module> = DebuggingInformationEntry<Reader<'module>>;

/// Abstract origins and specifications are followed this far; compilers need three steps.
const MOST_HOPS: usize = 16;

/// More ranges than this of one entry are not believed.
const MOST_RANGES: usize = 1 << 16;

impl Module {
    /// Reads an entry.
    pub fn entry<'module>(
        &'module self,
        die: DieId,
    ) -> Result<(Unit<'module>, Entry<'module>), SymbolsError> {
        let unit = self.unit(die.unit)?;
        let entry = unit
            .unit
            .entry(die.unit_offset())
            .map_err(|error| self.damaged(error))?;
        Ok((unit, entry))
    }

    /// The entry that an attribute refers to.
    pub(crate) fn referred<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
        attribute: gimli::DwAt,
    ) -> Option<DieId> {
        let value = entry.attr_value(attribute)?;
        self.resolve(unit.id, value).ok().flatten()
    }

    /// The type that an entry has, or that what it specifies or stems from has.
    pub(crate) fn type_attribute<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
    ) -> Option<TypeId> {
        self.in_origins(unit, entry, |unit, entry| {
            self.referred(unit, entry, gimli::DW_AT_type)
        })
        .map(TypeId)
    }

    /// The first answer that the entry, its abstract origin or its specification gives.
    pub(crate) fn in_origins<'module, T>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
        mut question: impl FnMut(&Unit<'module>, &Entry<'module>) -> Option<T>,
    ) -> Option<T> {
        if let Some(answer) = question(unit, entry) {
            return Some(answer);
        }
        let mut next = self.origin_of(unit, entry)?;
        for _ in 0..MOST_HOPS {
            let (unit, entry) = self.entry(next).ok()?;
            if let Some(answer) = question(&unit, &entry) {
                return Some(answer);
            }
            next = self.origin_of(&unit, &entry)?;
        }
        None
    }

    /// What an entry is the concrete instance or the definition of.
    pub(crate) fn origin_of<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
    ) -> Option<DieId> {
        self.referred(unit, entry, gimli::DW_AT_abstract_origin)
            .or_else(|| self.referred(unit, entry, gimli::DW_AT_specification))
            .or_else(|| self.referred(unit, entry, gimli::DW_AT_signature))
    }

    /// The entry that has the name (the last of the origins that has one of its own), and the name.
    pub(crate) fn named_origin<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
    ) -> Option<(DieId, String)> {
        // A definition outside its class has the name too sometimes; the declaration inside the
        // class is the one whose parents count.
        let mut found = None;
        self.in_origins(unit, entry, |unit, entry| {
            if let Some(name) = text(unit, entry, gimli::DW_AT_name) {
                found = Some((DieId::new(unit.id, entry.offset()), name));
            }
            None::<()>
        });
        found
    }
}

/// A string attribute.
pub(crate) fn text<'module>(
    unit: &Unit<'module>,
    entry: &Entry<'module>,
    attribute: gimli::DwAt,
) -> Option<String> {
    let value = entry.attr_value(attribute)?;
    let text = unit.unit_ref().attr_string(value).ok()?;
    Some(text.to_string_lossy().into_owned())
}

/// A flag attribute.
pub(crate) fn flag(entry: &Entry<'_>, attribute: gimli::DwAt) -> bool {
    matches!(
        entry.attr_value(attribute),
        Some(AttributeValue::Flag(true))
    )
}

/// An attribute that is a non-negative number.
pub(crate) fn number(entry: &Entry<'_>, attribute: gimli::DwAt) -> Option<u64> {
    match entry.attr_value(attribute)? {
        AttributeValue::FileIndex(index) => Some(index),
        value => value.udata_value(),
    }
}

/// The addresses of an entry; empty if it has none.
pub(crate) fn ranges<'module>(unit: &Unit<'module>, entry: &Entry<'module>) -> Vec<AddressRange> {
    let mut found = Vec::new();
    let Ok(mut list) = ranges_of(unit.unit_ref(), entry) else {
        return found;
    };
    while found.len() < MOST_RANGES
        && let Ok(Some(range)) = list.next()
    {
        if range.begin < range.end {
            found.push(AddressRange::new(range.begin, range.end));
        }
    }
    found
}

/// The addresses of an entry, piece by piece. A size that leads beyond the last address is damage, with which the
/// reader's own addition would overflow.
pub(crate) fn ranges_of<'module>(
    unit: gimli::UnitRef<'_, Reader<'module>>,
    entry: &Entry<'module>,
) -> gimli::Result<gimli::RangeIter<Reader<'module>>> {
    if let Some(AttributeValue::Udata(size)) = entry.attr_value(gimli::DW_AT_high_pc)
        && let Some(low) = entry.attr_value(gimli::DW_AT_low_pc)
        && let Some(low) = unit.attr_address(low)?
        && low.checked_add(size).is_none()
    {
        return Err(gimli::Error::AddressOverflow);
    }
    unit.die_ranges(entry)
}
