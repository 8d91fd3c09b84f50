//! Which unit's code contains an address: from `.debug_aranges`, else from the units themselves.

use crate::address::ModuleAddress;
use crate::die::{UnitId, ranges_of};
use crate::error::SymbolsError;
use crate::module::Module;
use crate::unit::Reader;

/// The code of each unit, sorted by address.
#[derive(Default)]
pub(crate) struct UnitRanges {
    ranges: Vec<UnitRange>,
}

#[derive(Clone, Copy)]
struct UnitRange {
    start: u64,
    end: u64,
    unit: u32,
}

impl UnitRanges {
    fn build(module: &Module) -> UnitRanges {
        let mut ranges = Vec::new();
        let Some(file) = module.dwarf_file() else {
            return UnitRanges::default();
        };
        let units = module.units();
        let mut covered = vec![false; units.slots.len()];
        // A true list needs bytes for each of its ranges.
        let most = module.image.bytes().len();
        let mut keep = |start: u64, end: u64, unit: usize| {
            if start < end && ranges.len() < most && module.is_code(ModuleAddress(start)) {
                let unit = unit as u32;
                ranges.push(UnitRange { start, end, unit });
            }
        };
        let by_offset = |offset: usize| {
            units.slots[units.main.clone()]
                .binary_search_by_key(&offset, |slot| slot.header.offset().0)
                .ok()
        };
        let mut headers = file.dwarf().debug_aranges.headers();
        while let Ok(Some(header)) = headers.next() {
            let Some(unit) = by_offset(header.debug_info_offset().0) else {
                continue;
            };
            let mut entries = header.entries();
            let mut whole = true;
            loop {
                match entries.next() {
                    Ok(Some(entry)) => {
                        keep(
                            entry.address(),
                            entry.address().saturating_add(entry.length()),
                            unit,
                        );
                    }
                    Ok(None) => break,
                    Err(_) => {
                        whole = false;
                        break;
                    }
                }
            }
            covered[unit] = whole;
        }
        for (unit, slot) in units.slots.iter().enumerate() {
            if covered[unit] || slot.is_supplementary || slot.is_type_unit() {
                continue;
            }
            // Not the module's own copy: most units are not needed again. Of a split unit the
            // skeleton has the addresses.
            let Ok(parsed) = file.dwarf().unit(slot.header) else {
                continue;
            };
            let reference = gimli::UnitRef::new(file.dwarf(), &parsed);
            let mut keep_range = |range: gimli::Range| keep(range.begin, range.end, unit);
            let mut entries = reference.entries();
            if entries.next_dfs().is_ok()
                && let Some(root) = entries.current()
                && let Ok(mut list) = ranges_of(reference, root)
            {
                drain(&mut list, &mut keep_range);
            }
        }
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        UnitRanges { ranges }
    }

    fn find(&self, address: u64) -> Option<UnitId> {
        let after = self.ranges.partition_point(|range| range.start <= address);
        // Ranges of different units may overlap in damaged or odd files: look back a little.
        self.ranges[..after]
            .iter()
            .rev()
            .take(8)
            .find(|range| address < range.end)
            .map(|range| UnitId(range.unit))
    }
}

/// More ranges than this in one unit are not believed.
const MOST_RANGES: usize = 1 << 22;

fn drain(list: &mut gimli::RangeIter<Reader<'_>>, keep: &mut dyn FnMut(gimli::Range)) {
    for _ in 0..MOST_RANGES {
        match list.next() {
            Ok(Some(range)) => keep(range),
            _ => return,
        }
    }
}

impl Module {
    pub(crate) fn unit_ranges(&self) -> &UnitRanges {
        self.unit_ranges.get_or_init(|| UnitRanges::build(self))
    }

    /// The unit whose code contains an address.
    pub fn unit_at(&self, address: ModuleAddress) -> Result<Option<UnitId>, SymbolsError> {
        Ok(self.unit_ranges().find(address.0))
    }
}
