//! Reads structs, classes, unions and Rust enums.

use std::sync::Arc;

use gimli::AttributeValue;

use crate::die::{self, DieId, Entry, TypeId};
use crate::error::SymbolsError;
use crate::module::Module;
use crate::type_reader::integer;
use crate::types::*;
use crate::unit::{Reader, Unit};

impl Module {
    pub(crate) fn read_aggregate(&self, die: DieId) -> Result<Type, SymbolsError> {
        let (unit, entry) = self.entry(die)?;
        let kind = match entry.tag() {
            gimli::DW_TAG_class_type => AggregateKind::Class,
            gimli::DW_TAG_union_type => AggregateKind::Union,
            _ => AggregateKind::Struct,
        };
        let name = die::text(&unit, &entry, gimli::DW_AT_name);
        let mut aggregate = Aggregate {
            kind,
            qualified_name: name
                .as_deref()
                .map(|name| self.qualified_name(die, name).into()),
            name: name.map(Arc::from),
            size: die::number(&entry, gimli::DW_AT_byte_size).unwrap_or(0),
            alignment: die::number(&entry, gimli::DW_AT_alignment),
            is_declaration: die::flag(&entry, gimli::DW_AT_declaration),
            bases: Vec::new(),
            members: Vec::new(),
            static_members: Vec::new(),
            variant_part: None,
            template_parameters: Vec::new(),
            methods: Vec::new(),
            is_dynamic: entry.has_attr(gimli::DW_AT_containing_type),
        };
        let mut methods = Vec::new();
        let mut variant_part = None;
        self.children(die, |child| {
            let is_declaration = die::flag(child, gimli::DW_AT_declaration);
            match child.tag() {
                gimli::DW_TAG_member if !is_declaration => {
                    aggregate.members.push(self.member(&unit, child, kind));
                }
                gimli::DW_TAG_member | gimli::DW_TAG_variable => {
                    let before = aggregate.members.len();
                    aggregate
                        .static_members
                        .extend(self.static_member(&unit, child, kind, before));
                }
                gimli::DW_TAG_inheritance => {
                    aggregate.bases.extend(self.base_class(&unit, child, kind));
                }
                gimli::DW_TAG_subprogram => methods.push(DieId::new(unit.id, child.offset())),
                gimli::DW_TAG_variant_part => {
                    variant_part.get_or_insert(DieId::new(unit.id, child.offset()));
                }
                _ => self.template_parameter(&unit, child, &mut aggregate.template_parameters),
            }
        })?;
        for method in methods {
            aggregate.methods.extend(self.method(method, kind)?);
        }
        aggregate.variant_part = variant_part
            .map(|part| self.variant_part(part, kind))
            .transpose()?;
        aggregate.is_dynamic |= aggregate.methods.iter().any(|method| method.is_virtual)
            || aggregate.bases.iter().any(|base| base.is_virtual)
            || aggregate.members.iter().any(is_table_pointer);
        Ok(Type::Aggregate(aggregate))
    }

    fn member<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
        kind: AggregateKind,
    ) -> Member {
        let type_id = self.referred(unit, entry, gimli::DW_AT_type).map(TypeId);
        let position = position(entry);
        Member {
            name: die::text(unit, entry, gimli::DW_AT_name).map(Arc::from),
            bit_field: self.bit_field(entry, &position, type_id),
            type_id,
            position,
            access: access(entry, kind),
            is_artificial: die::flag(entry, gimli::DW_AT_artificial),
        }
    }

    fn bit_field(
        &self,
        entry: &Entry<'_>,
        position: &MemberPosition,
        type_id: Option<TypeId>,
    ) -> Option<BitField> {
        let bit_size = die::number(entry, gimli::DW_AT_bit_size)?;
        let MemberPosition::Offset(offset) = position else {
            return None;
        };
        if let Some(bit_offset) = die::number(entry, gimli::DW_AT_data_bit_offset) {
            return Some(BitField {
                bit_offset: offset.checked_mul(8)?.checked_add(bit_offset)?,
                bit_size,
            });
        }
        // Up to DWARF 3 bits are counted from the most significant end of the storage unit.
        let from_top = die::number(entry, gimli::DW_AT_bit_offset)?;
        let storage = die::number(entry, gimli::DW_AT_byte_size)
            .or_else(|| type_id.and_then(|type_id| self.size_of(type_id)))?;
        let end = offset.checked_add(storage)?.checked_mul(8)?;
        Some(BitField {
            bit_offset: end.checked_sub(from_top.checked_add(bit_size)?)?,
            bit_size,
        })
    }

    fn static_member<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
        kind: AggregateKind,
        members_before: usize,
    ) -> Option<StaticMember> {
        let type_id = self.referred(unit, entry, gimli::DW_AT_type).map(TypeId);
        Some(StaticMember {
            name: die::text(unit, entry, gimli::DW_AT_name)?.into(),
            constant: self.constant(entry, type_id),
            type_id,
            access: access(entry, kind),
            members_before,
        })
    }

    /// The constant value of an entry.
    pub(crate) fn constant(&self, entry: &Entry<'_>, type_id: Option<TypeId>) -> Option<Constant> {
        let value = entry.attr_value(gimli::DW_AT_const_value)?;
        match value {
            AttributeValue::Block(block) => Some(Constant::Bytes(Arc::from(block.slice()))),
            AttributeValue::String(text) => Some(Constant::Bytes(Arc::from(text.slice()))),
            _ => {
                let is_signed = type_id.is_some_and(|type_id| self.is_signed(type_id));
                integer(&value, is_signed).map(Constant::Integer)
            }
        }
    }

    fn base_class<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
        kind: AggregateKind,
    ) -> Option<BaseClass> {
        Some(BaseClass {
            type_id: TypeId(self.referred(unit, entry, gimli::DW_AT_type)?),
            position: position(entry),
            is_virtual: virtuality(entry),
            access: access(entry, kind),
        })
    }

    fn template_parameter<'module>(
        &'module self,
        unit: &Unit<'module>,
        entry: &Entry<'module>,
        parameters: &mut Vec<TemplateParameter>,
    ) {
        let type_id = self.referred(unit, entry, gimli::DW_AT_type).map(TypeId);
        let mut push = |value| {
            parameters.push(TemplateParameter {
                name: die::text(unit, entry, gimli::DW_AT_name).map(Arc::from),
                type_id,
                value,
            });
        };
        match entry.tag() {
            gimli::DW_TAG_template_type_parameter => push(None),
            gimli::DW_TAG_template_value_parameter => push(self.constant(entry, type_id)),
            gimli::DW_TAG_GNU_template_parameter_pack => {
                let pack = DieId::new(unit.id, entry.offset());
                // A pack of packs does not exist: one level down is enough.
                let _ = self.children(pack, |child| {
                    let type_id = self.referred(unit, child, gimli::DW_AT_type).map(TypeId);
                    parameters.push(TemplateParameter {
                        name: die::text(unit, child, gimli::DW_AT_name).map(Arc::from),
                        type_id,
                        value: self.constant(child, type_id),
                    });
                });
            }
            _ => {}
        }
    }

    fn method(&self, method: DieId, kind: AggregateKind) -> Result<Option<Method>, SymbolsError> {
        let (unit, entry) = self.entry(method)?;
        let Some(name) = die::text(&unit, &entry, gimli::DW_AT_name) else {
            return Ok(None);
        };
        let mut parameters = Vec::new();
        let mut has_this = entry.has_attr(gimli::DW_AT_object_pointer);
        self.children(method, |child| {
            if child.tag() == gimli::DW_TAG_formal_parameter {
                has_this |= parameters.is_empty() && die::flag(child, gimli::DW_AT_artificial);
                parameters.push(self.referred(&unit, child, gimli::DW_AT_type).map(TypeId));
            }
        })?;
        Ok(Some(Method {
            name: name.into(),
            linkage_name: die::text(&unit, &entry, gimli::DW_AT_linkage_name).map(Arc::from),
            die: method,
            return_type: self.referred(&unit, &entry, gimli::DW_AT_type).map(TypeId),
            parameters,
            is_static: !has_this,
            is_virtual: virtuality(&entry),
            table_slot: table_slot(&entry, &unit),
            table_class: self
                .referred(&unit, &entry, gimli::DW_AT_containing_type)
                .map(TypeId),
            is_artificial: die::flag(&entry, gimli::DW_AT_artificial),
            access: access(&entry, kind),
        }))
    }

    fn variant_part(&self, part: DieId, kind: AggregateKind) -> Result<VariantPart, SymbolsError> {
        let (unit, entry) = self.entry(part)?;
        let discriminant = match self.referred(&unit, &entry, gimli::DW_AT_discr) {
            Some(die) => {
                let (unit, entry) = self.entry(die)?;
                Some(self.member(&unit, &entry, kind))
            }
            None => None,
        };
        let type_id = discriminant.as_ref().and_then(|member| member.type_id);
        let is_signed = type_id.is_some_and(|type_id| self.is_signed(type_id));
        let mut variants = Vec::new();
        self.children(part, |child| {
            if child.tag() == gimli::DW_TAG_variant {
                let die = DieId::new(unit.id, child.offset());
                variants.push((die, discriminants(child, is_signed)));
            }
        })?;
        let variants = variants
            .into_iter()
            .map(|(variant, discriminants)| {
                let mut members = Vec::new();
                self.children(variant, |child| {
                    if child.tag() == gimli::DW_TAG_member {
                        members.push(self.member(&unit, child, kind));
                    }
                })?;
                Ok(Variant {
                    discriminants,
                    members,
                })
            })
            .collect::<Result<_, SymbolsError>>()?;
        Ok(VariantPart {
            discriminant,
            variants,
        })
    }
}

fn discriminants(variant: &Entry<'_>, is_signed: bool) -> Vec<DiscriminantRange> {
    if let Some(value) = variant.attr_value(gimli::DW_AT_discr_value) {
        let value = integer(&value, is_signed);
        return value
            .map(|value| DiscriminantRange {
                first: value,
                last: value,
            })
            .into_iter()
            .collect();
    }
    match variant.attr_value(gimli::DW_AT_discr_list) {
        Some(AttributeValue::Block(list)) => discriminant_list(list, is_signed),
        _ => Vec::new(),
    }
}

/// DWARF 5, 5.7.10: a descriptor byte (0: one value, 1: a range), then LEB128 numbers.
fn discriminant_list(mut list: Reader<'_>, is_signed: bool) -> Vec<DiscriminantRange> {
    use gimli::Reader as _;
    let mut ranges = Vec::new();
    while !list.is_empty() {
        let Ok(descriptor) = list.read_u8() else {
            break;
        };
        let mut number = || {
            if is_signed {
                list.read_sleb128().map(i128::from)
            } else {
                list.read_uleb128().map(i128::from)
            }
        };
        let Ok(first) = number() else { break };
        let last = match descriptor {
            1 => number(),
            _ => Ok(first),
        };
        let Ok(last) = last else { break };
        ranges.push(DiscriminantRange { first, last });
    }
    ranges
}

fn is_table_pointer(member: &Member) -> bool {
    let name = member.name.as_deref().unwrap_or("");
    name.starts_with("_vptr.") || name.starts_with("_vptr$")
}

fn position(entry: &Entry<'_>) -> MemberPosition {
    match entry.attr_value(gimli::DW_AT_data_member_location) {
        Some(AttributeValue::Exprloc(expression)) => expression_position(expression.0.slice()),
        Some(AttributeValue::Block(block)) => expression_position(block.slice()),
        Some(value) => MemberPosition::Offset(value.udata_value().unwrap_or(0)),
        None => MemberPosition::Offset(0),
    }
}

/// DWARF 2 wrote even plain offsets as expressions: `DW_OP_plus_uconst`.
fn expression_position(expression: &[u8]) -> MemberPosition {
    use gimli::Reader as _;
    if let Some((first, rest)) = expression.split_first()
        && *first == gimli::DW_OP_plus_uconst.0
    {
        let mut rest = gimli::EndianSlice::new(rest, gimli::LittleEndian);
        if let Ok(offset) = rest.read_uleb128()
            && rest.is_empty()
        {
            return MemberPosition::Offset(offset);
        }
    }
    MemberPosition::Expression(Arc::from(expression))
}

fn virtuality(entry: &Entry<'_>) -> bool {
    match entry.attr_value(gimli::DW_AT_virtuality) {
        Some(AttributeValue::Virtuality(virtuality)) => virtuality != gimli::DW_VIRTUALITY_none,
        _ => false,
    }
}

/// A virtual table's slot is written as an expression that pushes a number.
fn table_slot(entry: &Entry<'_>, unit: &crate::unit::Unit<'_>) -> Option<u64> {
    let value = entry.attr_value(gimli::DW_AT_vtable_elem_location)?;
    let AttributeValue::Exprloc(expression) = value else {
        return value.udata_value();
    };
    match expression.operations(unit.unit.encoding()).next().ok()?? {
        gimli::Operation::UnsignedConstant { value } => Some(value),
        gimli::Operation::SignedConstant { value } => u64::try_from(value).ok(),
        _ => None,
    }
}

fn access(entry: &Entry<'_>, kind: AggregateKind) -> Access {
    match entry.attr_value(gimli::DW_AT_accessibility) {
        Some(AttributeValue::Accessibility(gimli::DW_ACCESS_public)) => Access::Public,
        Some(AttributeValue::Accessibility(gimli::DW_ACCESS_protected)) => Access::Protected,
        Some(AttributeValue::Accessibility(gimli::DW_ACCESS_private)) => Access::Private,
        _ if kind == AggregateKind::Class => Access::Private,
        _ => Access::Public,
    }
}
