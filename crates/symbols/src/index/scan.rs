//! One pass over the entries of a unit that picks out what has a name to look up.

use gimli::{Abbreviation, AttributeValue, DwTag, EntriesRaw};

use crate::index::format::{DECLARATION, HAS_CODE, INLINE, IndexEntry, Kind, NO_PARENT, Place};
use crate::language::Language;
use crate::names;
use crate::unit::Reader;

/// What one unit gave.
#[derive(Default)]
pub(crate) struct UnitScan {
    /// In order of their offsets; parents are indices into the same list.
    pub(crate) entries: Vec<IndexEntry>,
    /// Of each entry's name.
    pub(crate) hashes: Vec<u32>,
    pub(crate) pool: Vec<u8>,
    /// Entries whose name is that of an entry of another unit.
    pub(crate) foreign: Vec<(u32, Target)>,
    /// Functions of other units that were inlined here.
    pub(crate) foreign_inlines: Vec<Target>,
}

/// A reference out of the unit: an offset into `.debug_info` of the file or the supplementary one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    pub(crate) is_supplementary: bool,
    pub(crate) offset: usize,
}

/// How the names of a unit can be referred to.
pub(crate) struct Context<'scan> {
    pub(crate) unit: gimli::UnitRef<'scan, Reader<'scan>>,
    pub(crate) number: u32,
    pub(crate) is_supplementary: bool,
    /// The strings are in sections that the index cannot refer to (split DWARF, `.debug_types`).
    pub(crate) copies_names: bool,
    pub(crate) language: Language,
    /// Where `.debug_info` of the unit's file lies in memory.
    pub(crate) info_start: usize,
}

/// The attributes that matter, of one entry.
#[derive(Default)]
struct Facts<'scan> {
    name: Option<AttributeValue<Reader<'scan>>>,
    linkage_name: Option<AttributeValue<Reader<'scan>>>,
    origin: Option<AttributeValue<Reader<'scan>>>,
    is_declaration: bool,
    is_inline: bool,
    has_code: bool,
    is_static: bool,
}

fn kind_of(tag: DwTag) -> Option<Kind> {
    Some(match tag {
        gimli::DW_TAG_namespace | gimli::DW_TAG_module => Kind::Namespace,
        gimli::DW_TAG_subprogram => Kind::Function,
        gimli::DW_TAG_structure_type
        | gimli::DW_TAG_class_type
        | gimli::DW_TAG_union_type
        | gimli::DW_TAG_interface_type
        | gimli::DW_TAG_enumeration_type
        | gimli::DW_TAG_typedef
        | gimli::DW_TAG_base_type
        | gimli::DW_TAG_unspecified_type => Kind::Type,
        gimli::DW_TAG_variable | gimli::DW_TAG_member => Kind::Variable,
        gimli::DW_TAG_enumerator => Kind::Enumerator,
        _ => return None,
    })
}

/// Scans a unit; what comes after a damaged place is left out.
pub(crate) fn scan(context: &Context<'_>) -> UnitScan {
    let mut scan = UnitScan::default();
    if let Ok(mut raw) = context.unit.entries_raw(None) {
        let _ = scan.read(context, &mut raw);
    }
    // All units' results are held until they are joined.
    scan.entries.shrink_to_fit();
    scan.hashes.shrink_to_fit();
    scan
}

impl UnitScan {
    fn read<'scan>(
        &mut self,
        context: &Context<'scan>,
        raw: &mut EntriesRaw<'_, Reader<'scan>>,
    ) -> gimli::Result<()> {
        // Entries that are open, with their depth.
        let mut open: Vec<(u32, isize)> = Vec::new();
        // Entries whose name is that of another entry of the unit.
        let mut deferred: Vec<(u32, u32)> = Vec::new();
        let result = loop {
            if raw.is_empty() {
                break Ok(());
            }
            let offset = raw.next_offset().0 as u32;
            let depth = raw.next_depth();
            let abbreviation = match raw.read_abbreviation() {
                Ok(Some(abbreviation)) => abbreviation,
                Ok(None) => continue,
                Err(error) => break Err(error),
            };
            while open.last().is_some_and(|(_, open)| depth <= *open) {
                open.pop();
            }
            let read = self.entry(context, raw, abbreviation, offset, &open, &mut deferred);
            match read {
                Ok(Some(index)) if abbreviation.has_children() => open.push((index, depth)),
                Ok(_) => {}
                Err(error) => break Err(error),
            }
        };
        self.resolve(&deferred);
        result
    }

    fn entry<'scan>(
        &mut self,
        context: &Context<'scan>,
        raw: &mut EntriesRaw<'_, Reader<'scan>>,
        abbreviation: &Abbreviation,
        offset: u32,
        open: &[(u32, isize)],
        deferred: &mut Vec<(u32, u32)>,
    ) -> gimli::Result<Option<u32>> {
        let tag = abbreviation.tag();
        if tag == gimli::DW_TAG_inlined_subroutine {
            self.inlined(raw, abbreviation)?;
            return Ok(None);
        }
        let Some(kind) = kind_of(tag) else {
            raw.skip_attributes(abbreviation.attributes())?;
            return Ok(None);
        };
        let facts = facts(raw, abbreviation)?;
        let enclosing = open.last().and_then(|(index, _)| {
            let entry = self.entries.get(*index as usize)?;
            Some((*index, entry.kind))
        });
        let wanted = match (kind, enclosing) {
            // Rust's are looked up as parts of their enum.
            (Kind::Enumerator, _) => context.language != Language::Rust,
            (Kind::Variable, _) if tag == gimli::DW_TAG_member => facts.is_declaration,
            (Kind::Variable, Some((_, Kind::Function))) => facts.is_static,
            // Outside functions even what was optimised away: it is said to be so, and may give its
            // name to an instance elsewhere.
            _ => true,
        };
        if !wanted {
            return Ok(None);
        }
        let mut flags = 0;
        for (is_set, flag) in [
            (facts.is_declaration, DECLARATION),
            (facts.has_code, HAS_CODE),
            (facts.is_inline, INLINE),
        ] {
            flags |= if is_set { flag } else { 0 };
        }
        // As gdb: a function of C goes by the name that the linker knows (`__GI_abort`).
        let own_name = match (context.language, kind) {
            (Language::C, Kind::Function) => facts.linkage_name.or(facts.name),
            _ => facts.name,
        };
        let (place, name, hash) = own_name
            .and_then(|name| self.name(context, name))
            .unwrap_or((Place::Nowhere, 0, 0));
        if place == Place::Nowhere && facts.origin.is_none() && kind != Kind::Namespace {
            return Ok(None);
        }
        let index = self.entries.len() as u32;
        self.entries.push(IndexEntry {
            die: offset,
            unit: context.number,
            parent: enclosing.map_or(NO_PARENT, |(index, _)| index),
            name,
            place,
            kind,
            flags,
        });
        self.hashes.push(hash);
        match facts.origin {
            Some(AttributeValue::UnitRef(target)) => deferred.push((index, target.0 as u32)),
            Some(other) => self
                .foreign
                .extend(foreign(other, context).map(|target| (index, target))),
            None => {}
        }
        Ok(Some(index))
    }

    fn inlined(
        &mut self,
        raw: &mut EntriesRaw<'_, Reader<'_>>,
        abbreviation: &Abbreviation,
    ) -> gimli::Result<()> {
        let foreign = abbreviation.attributes().iter().any(|attribute| {
            attribute.name() == gimli::DW_AT_abstract_origin
                && matches!(
                    attribute.form(),
                    gimli::DW_FORM_ref_addr | gimli::DW_FORM_GNU_ref_alt
                )
        });
        if !foreign {
            return raw.skip_attributes(abbreviation.attributes());
        }
        for specification in abbreviation.attributes() {
            let attribute = raw.read_attribute(*specification)?;
            if attribute.name() != gimli::DW_AT_abstract_origin {
                continue;
            }
            let target = match attribute.value() {
                AttributeValue::DebugInfoRef(offset) => (false, offset.0),
                AttributeValue::DebugInfoRefSup(offset) => (true, offset.0),
                _ => continue,
            };
            self.foreign_inlines.push(Target {
                is_supplementary: target.0,
                offset: target.1,
            });
        }
        Ok(())
    }

    /// Where a name is, and the hash under which it is looked up.
    fn name<'scan>(
        &mut self,
        context: &Context<'scan>,
        value: AttributeValue<Reader<'scan>>,
    ) -> Option<(Place, u32, u32)> {
        let unit = &context.unit;
        let text = unit.attr_string(value).ok()?;
        let hash = hash_of(text.slice());
        if context.copies_names {
            let offset = u32::try_from(self.pool.len()).ok()?;
            self.pool.extend_from_slice(text.slice());
            self.pool.push(0);
            return Some((Place::Pool, offset, hash));
        }
        let own = |own, supplementary| {
            if context.is_supplementary {
                supplementary
            } else {
                own
            }
        };
        let (place, offset) = match value {
            AttributeValue::DebugStrRef(offset) => {
                (own(Place::Strings, Place::SupplementaryStrings), offset.0)
            }
            AttributeValue::DebugStrRefSup(offset) => (Place::SupplementaryStrings, offset.0),
            AttributeValue::DebugLineStrRef(offset) => (Place::LineStrings, offset.0),
            AttributeValue::DebugStrOffsetsIndex(index) => {
                (Place::Strings, unit.string_offset(index).ok()?.0)
            }
            AttributeValue::String(text) => {
                let section = context.info_start;
                let offset = (text.slice().as_ptr() as usize).checked_sub(section)?;
                (own(Place::Info, Place::SupplementaryInfo), offset)
            }
            _ => return None,
        };
        Some((place, u32::try_from(offset).ok()?, hash))
    }

    /// Gives definitions and instances the name and the parent of what they stem from.
    fn resolve(&mut self, deferred: &[(u32, u32)]) {
        // An instance stems from an abstract function that stems from a declaration: two rounds,
        // in whatever order they come.
        for _ in 0..3 {
            for (index, target) in deferred {
                let found = self.entries.binary_search_by_key(target, |entry| entry.die);
                if let Ok(found) = found {
                    let (origin, hash) = (self.entries[found], self.hashes[found]);
                    self.entries[*index as usize].take_name(&origin);
                    if origin.place != Place::Nowhere {
                        self.hashes[*index as usize] = hash;
                    }
                }
            }
        }
    }
}

impl IndexEntry {
    /// Takes over the name and the parent of what this entry stems from.
    pub(crate) fn take_name(&mut self, origin: &IndexEntry) {
        if origin.place != Place::Nowhere {
            self.place = origin.place;
            self.name = origin.name;
            self.parent = origin.parent;
        }
    }
}

/// The hash under which a name is looked up: that of the name without arguments.
pub(crate) fn hash_of(name: &[u8]) -> u32 {
    match std::str::from_utf8(name) {
        Ok(name) => names::hash(names::without_arguments(name).as_bytes()),
        Err(_) => names::hash(name),
    }
}

fn foreign(value: AttributeValue<Reader<'_>>, context: &Context<'_>) -> Option<Target> {
    match value {
        AttributeValue::DebugInfoRef(offset) => Some(Target {
            is_supplementary: context.is_supplementary,
            offset: offset.0,
        }),
        AttributeValue::DebugInfoRefSup(offset) => Some(Target {
            is_supplementary: true,
            offset: offset.0,
        }),
        _ => None,
    }
}

fn facts<'scan>(
    raw: &mut EntriesRaw<'_, Reader<'scan>>,
    abbreviation: &Abbreviation,
) -> gimli::Result<Facts<'scan>> {
    let mut facts = Facts::default();
    for specification in abbreviation.attributes() {
        let attribute = raw.read_attribute(*specification)?;
        match attribute.name() {
            gimli::DW_AT_name => facts.name = Some(attribute.value()),
            gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                facts.linkage_name = Some(attribute.value());
            }
            gimli::DW_AT_specification | gimli::DW_AT_abstract_origin => {
                facts.origin = Some(attribute.value());
            }
            gimli::DW_AT_declaration => facts.is_declaration = true,
            gimli::DW_AT_inline => facts.is_inline = true,
            gimli::DW_AT_low_pc | gimli::DW_AT_ranges => facts.has_code = true,
            gimli::DW_AT_location => {
                facts.is_static = match attribute.value() {
                    AttributeValue::Exprloc(expression) => has_fixed_address(expression.0.slice()),
                    AttributeValue::Block(block) => has_fixed_address(block.slice()),
                    _ => false,
                };
            }
            _ => {}
        }
    }
    Ok(facts)
}

/// Whether a location is an address, a thread-local offset or pieces of such: not on the stack.
fn has_fixed_address(expression: &[u8]) -> bool {
    const OPERATIONS: [gimli::DwOp; 7] = [
        gimli::DW_OP_addr,
        gimli::DW_OP_addrx,
        gimli::DW_OP_GNU_addr_index,
        gimli::DW_OP_const8u,
        gimli::DW_OP_const4u,
        gimli::DW_OP_GNU_const_index,
        gimli::DW_OP_constx,
    ];
    expression
        .first()
        .is_some_and(|first| OPERATIONS.contains(&gimli::DwOp(*first)))
}
