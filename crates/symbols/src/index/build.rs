//! Builds the index: units are scanned by all processors, then joined and put in order.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use gimli::{AttributeValue, UnitRef};

use crate::die::{DieId, UnitId};
use crate::index::format::{Contents, DECLARATION, INLINE, IndexEntry, Kind, NO_PARENT, Place};
use crate::index::scan::{self, Context, Target, UnitScan};
use crate::language::Language;
use crate::module::Module;
use crate::unit::Reader;

/// The whole index of a module, and whether it is complete enough to be kept.
pub(crate) fn build(module: &Module) -> (Contents, bool) {
    let scans = scan_all(module);
    let is_complete = scans.iter().all(|(_, is_complete)| *is_complete);
    let scans: Vec<UnitScan> = scans.into_iter().map(|(scan, _)| scan).collect();
    if let Some(file) = module.dwarf_file() {
        file.forget_strings();
    }
    (join(module, scans), is_complete)
}

/// The hash under which copies of a function in other units are found.
pub(crate) fn foreign_hash(unit: u32, offset: u32) -> u32 {
    (unit.wrapping_mul(0x9e37_79b1) ^ offset).wrapping_mul(0x85eb_ca6b)
}

/// So much is scanned before the pages with the names are given back.
const BETWEEN_FORGETTING: usize = 8 << 20;

/// Gives back the memory of what has been scanned: nearly all of the file is looked at once, by each of the processes
/// that debug it.
struct Forgetting<'module> {
    module: &'module Module,
    scanned: AtomicUsize,
}

impl Forgetting<'_> {
    fn scanned(&self, unit: usize) {
        let Some(file) = self.module.dwarf_file() else {
            return;
        };
        let Some(slot) = self.module.units().slots.get(unit) else {
            return;
        };
        if slot.is_supplementary {
            return;
        }
        let size = slot.header.length_including_self();
        if let Some(start) = slot.header.debug_info_offset() {
            file.forget_info(start.0..start.0.saturating_add(size));
        }
        let before = self.scanned.fetch_add(size, Ordering::Relaxed);
        if before / BETWEEN_FORGETTING != before.saturating_add(size) / BETWEEN_FORGETTING {
            file.forget_strings();
        }
    }
}

fn scan_all(module: &Module) -> Vec<(UnitScan, bool)> {
    let count = module.unit_count();
    let next = AtomicUsize::new(0);
    let forgetting = Forgetting {
        module,
        scanned: AtomicUsize::new(0),
    };
    let results: Mutex<Vec<(usize, UnitScan, bool)>> = Mutex::new(Vec::with_capacity(count));
    let work = || {
        let mut done = Vec::new();
        loop {
            // Several at a time: many units are tiny.
            let first = next.fetch_add(4, Ordering::Relaxed);
            if first >= count {
                break;
            }
            for number in first..count.min(first + 4) {
                let (scan, is_complete) = scan_unit(module, number);
                done.push((number, scan, is_complete));
                forgetting.scanned(number);
            }
        }
        results
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(done);
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = threads.min(count / 8 + 1).min(16);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(number, _, _)| *number);
    results
        .into_iter()
        .map(|(_, scan, is_complete)| (scan, is_complete))
        .collect()
}

fn scan_unit(module: &Module, number: usize) -> (UnitScan, bool) {
    let nothing = (UnitScan::default(), true);
    let Some(slot) = module.units().slots.get(number) else {
        return nothing;
    };
    let Some(main) = module.dwarf_file().map(|file| file.dwarf()) else {
        return nothing;
    };
    let dwarf = match (slot.is_supplementary, main.sup()) {
        (true, Some(supplementary)) => supplementary,
        _ => main,
    };
    // Not the module's own copy: a unit that is only scanned need not stay in memory.
    let Ok(unit) = dwarf.unit(slot.header) else {
        return nothing;
    };
    if unit.dwo_id.is_some() {
        return scan_split_unit(module, number);
    }
    let reference = UnitRef::new(dwarf, &unit);
    let context = Context {
        unit: reference,
        number: number as u32,
        is_supplementary: slot.is_supplementary,
        copies_names: slot.header.debug_info_offset().is_none(),
        language: language(&reference),
        info_start: start_of_info(dwarf),
    };
    (scan::scan(&context), true)
}

fn scan_split_unit(module: &Module, number: usize) -> (UnitScan, bool) {
    let Ok(unit) = module.unit(UnitId(number as u32)) else {
        return (UnitScan::default(), false);
    };
    let context = Context {
        unit: unit.unit_ref(),
        number: number as u32,
        is_supplementary: false,
        copies_names: true,
        language: unit.language,
        info_start: 0,
    };
    // The split files may come and go without a change of the module: never kept.
    (scan::scan(&context), false)
}

fn language(unit: &UnitRef<'_, Reader<'_>>) -> Language {
    let root = unit.entry(unit.header.root_offset());
    match root.map(|root| root.attr_value(gimli::DW_AT_language)) {
        Ok(Some(AttributeValue::Language(language))) => Language::from_dwarf(language),
        _ => Language::Other,
    }
}

fn join(module: &Module, scans: Vec<UnitScan>) -> Contents {
    let total = scans.iter().map(|scan| scan.entries.len()).sum();
    let mut entries: Vec<IndexEntry> = Vec::with_capacity(total);
    let mut hashes: Vec<u32> = Vec::with_capacity(total);
    let mut pool = Vec::new();
    let mut starts = Vec::with_capacity(scans.len() + 1);
    let mut foreign: Vec<(u32, Target, u32)> = Vec::new();
    let mut copies: Vec<(Target, u32)> = Vec::new();
    for (unit, scan) in scans.into_iter().enumerate() {
        let base = entries.len() as u32;
        let pool_base = pool.len() as u32;
        starts.push(base as usize);
        entries.extend(scan.entries.into_iter().map(|mut entry| {
            if entry.parent != NO_PARENT {
                entry.parent += base;
            }
            if entry.place == Place::Pool {
                entry.name += pool_base;
            }
            entry
        }));
        hashes.extend(scan.hashes);
        pool.extend(scan.pool);
        let unit = unit as u32;
        foreign.extend(
            scan.foreign
                .iter()
                .map(|(i, target)| (base + i, *target, unit)),
        );
        copies.extend(scan.foreign_inlines.iter().map(|target| (*target, unit)));
    }
    starts.push(entries.len());
    let find = |entries: &[IndexEntry], target: DieId| {
        let start = *starts.get(target.unit.0 as usize)?;
        let end = *starts.get(target.unit.0 as usize + 1)?;
        let within = entries.get(start..end)?;
        let found = within.binary_search_by_key(&target.offset, |entry| entry.die);
        found.ok().map(|found| start + found)
    };
    for _ in 0..2 {
        for (index, target, unit) in &foreign {
            let target = resolve(module, *target, *unit);
            if let Some(found) = target.and_then(|target| find(&entries, target)) {
                let origin = entries[found];
                entries[*index as usize].take_name(&origin);
                if origin.place != Place::Nowhere {
                    hashes[*index as usize] = hashes[found];
                }
            }
        }
    }
    let mut order: Vec<(u32, u32)> = Vec::with_capacity(entries.len());
    for (index, (entry, hash)) in entries.iter().zip(&hashes).enumerate() {
        let is_declared_function = entry.kind == Kind::Function && entry.is(DECLARATION);
        if entry.place != Place::Nowhere && entry.kind != Kind::Namespace && !is_declared_function {
            order.push((*hash, index as u32));
        }
    }
    drop(hashes);
    copies.sort_unstable();
    copies.dedup();
    for (target, unit) in copies {
        if let Some(function) = resolve(module, target, unit) {
            // Link-time optimisation inlines functions whose own entries do not say so.
            if let Some(found) = find(&entries, function) {
                entries[found].flags |= INLINE;
            }
            order.push((
                foreign_hash(function.unit.0, function.offset),
                entries.len() as u32,
            ));
            entries.push(IndexEntry {
                die: function.offset,
                unit,
                parent: function.unit.0,
                name: 0,
                place: Place::Nowhere,
                kind: Kind::ForeignInline,
                flags: 0,
            });
        }
    }
    order.sort_unstable();
    Contents {
        entries,
        order,
        pool,
    }
}

fn resolve(module: &Module, target: Target, unit: u32) -> Option<DieId> {
    let value = if target.is_supplementary {
        AttributeValue::DebugInfoRefSup(gimli::DebugInfoOffset(target.offset))
    } else {
        AttributeValue::DebugInfoRef(gimli::DebugInfoOffset(target.offset))
    };
    module.resolve(UnitId(unit), value).ok().flatten()
}

fn start_of_info(dwarf: &gimli::Dwarf<Reader<'_>>) -> usize {
    use gimli::Section;
    dwarf.debug_info.reader().slice().as_ptr() as usize
}
