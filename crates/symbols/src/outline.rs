//! One pass over a unit: where its functions are, and which entries enclose which.

use gimli::{DwTag, UnitOffset};

use crate::address::ModuleAddress;
use crate::die::{self, DieId, Entry};
use crate::module::Module;
use crate::unit::Unit;

/// The functions of a unit by address, and its entries that have names inside them.
#[derive(Default)]
pub(crate) struct Outline {
    /// Sorted by start.
    functions: Vec<FunctionRange>,
    /// Sorted by start; each lies wholly inside its parent.
    containers: Vec<Container>,
}

struct FunctionRange {
    start: u64,
    end: u64,
    offset: u32,
}

struct Container {
    start: u32,
    end: u32,
    parent: u32,
}

const NO_PARENT: u32 = u32::MAX;

fn is_container(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_namespace
            | gimli::DW_TAG_module
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_enumeration_type
            | gimli::DW_TAG_interface_type
            | gimli::DW_TAG_subprogram
    )
}

impl Outline {
    fn build<'module>(module: &'module Module, unit: &Unit<'module>) -> Outline {
        let mut outline = Outline::default();
        // A damaged unit keeps what came before the damage.
        let _ = outline.read(module, unit);
        let end = unit.unit.header.length_including_self() as u32;
        for container in &mut outline.containers {
            if container.end == 0 {
                container.end = end;
            }
        }
        outline.functions.sort_by_key(|function| function.start);
        outline
    }

    fn read<'module>(
        &mut self,
        module: &'module Module,
        unit: &Unit<'module>,
    ) -> gimli::Result<()> {
        let mut raw = unit.unit.entries_raw(None)?;
        // Indices into `containers` of those that are open, with their depth.
        let mut open: Vec<(u32, isize)> = Vec::new();
        let mut entry = Entry::null();
        while !raw.is_empty() {
            let offset = raw.next_offset();
            let depth = raw.next_depth();
            while let Some(&(index, container_depth)) = open.last()
                && depth <= container_depth
            {
                self.containers[index as usize].end = offset.0 as u32;
                open.pop();
            }
            let mut peek = raw.clone();
            let Some(abbreviation) = peek.read_abbreviation()? else {
                raw = peek;
                continue;
            };
            let tag = abbreviation.tag();
            if is_container(tag) && abbreviation.has_children() {
                let parent = open.last().map_or(NO_PARENT, |(index, _)| *index);
                open.push((self.containers.len() as u32, depth));
                self.containers.push(Container {
                    start: offset.0 as u32,
                    end: 0,
                    parent,
                });
            }
            if tag == gimli::DW_TAG_subprogram {
                raw.read_entry(&mut entry)?;
                for range in die::ranges(unit, &entry) {
                    // Many entries that share one long list would make an endless one.
                    let has_room = self.functions.len() < unit.unit.header.length_including_self();
                    if has_room && module.is_code(range.start) {
                        self.functions.push(FunctionRange {
                            start: range.start.0,
                            end: range.end.0,
                            offset: offset.0 as u32,
                        });
                    }
                }
            } else {
                peek.skip_attributes(abbreviation.attributes())?;
                raw = peek;
            }
        }
        Ok(())
    }

    /// The function that contains an address.
    pub(crate) fn function_at(&self, address: ModuleAddress) -> Option<UnitOffset<usize>> {
        let after = self
            .functions
            .partition_point(|function| function.start <= address.0);
        self.functions[..after]
            .iter()
            .rev()
            .take(8)
            .find(|function| address.0 < function.end)
            .map(|function| UnitOffset(function.offset as usize))
    }

    /// The container that an entry lies directly in.
    pub(crate) fn parent(&self, offset: u32) -> Option<u32> {
        let after = self
            .containers
            .partition_point(|container| container.start < offset);
        let mut index = after.checked_sub(1)?;
        loop {
            let container = self.containers.get(index)?;
            if offset < container.end {
                return Some(container.start);
            }
            if container.parent == NO_PARENT {
                return None;
            }
            index = container.parent as usize;
        }
    }
}

impl Module {
    pub(crate) fn outline<'module>(&'module self, unit: &Unit<'module>) -> &'module Outline {
        unit.parsed
            .outline
            .get_or_init(|| Outline::build(self, unit))
    }

    /// The entry that encloses another one: namespace, class or function; `None`: the unit itself.
    pub fn parent(&self, die: DieId) -> Option<DieId> {
        let unit = self.unit(die.unit).ok()?;
        let parent = self.outline(&unit).parent(die.offset)?;
        Some(DieId {
            unit: die.unit,
            offset: parent,
        })
    }
}
