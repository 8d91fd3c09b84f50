//! Reads types out of the debug information, each once.

use std::cell::RefCell;
use std::sync::{Arc, PoisonError};

use gimli::AttributeValue;

use crate::die::{self, DieId, Entry, TypeId};
use crate::error::SymbolsError;
use crate::index::format::{DECLARATION, Kind};
use crate::module::Module;
use crate::types::*;

/// Typedefs and qualifiers are not stacked higher than this.
const MOST_LAYERS: usize = 64;

impl Module {
    /// Reads a type. A declaration gives its definition where the module has one.
    pub fn type_of(&self, id: TypeId) -> Result<Arc<Type>, SymbolsError> {
        let known = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&id) {
            return Ok(known.clone());
        }
        drop(known);
        let _reading = Reading::begin(self, id)
            .ok_or_else(|| self.damaged("a type that is part of its own description"))?;
        let read = Arc::new(self.read_type(id)?);
        let mut known = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(id, read.clone());
        Ok(read)
    }

    /// The full definition of a type that is only declared where `id` is; `id` itself otherwise.
    pub fn definition(&self, id: TypeId) -> TypeId {
        let known = self
            .definitions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&id) {
            return known.unwrap_or(id);
        }
        drop(known);
        let found = self.find_definition(id);
        self.definitions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, found);
        found.unwrap_or(id)
    }

    fn find_definition(&self, id: TypeId) -> Option<TypeId> {
        let (unit, entry) = self.entry(id.0).ok()?;
        // Some compilers mark what a type unit defines as a declaration, others leave it bare.
        if let Some(full) = self.referred(&unit, &entry, gimli::DW_AT_signature) {
            return Some(TypeId(full));
        }
        if !die::flag(&entry, gimli::DW_AT_declaration) {
            return None;
        }
        let name = die::text(&unit, &entry, gimli::DW_AT_name)?;
        let qualified = self.qualified_name(id.0, &name);
        let mut candidates = self.lookup(&format!("::{qualified}"), Kind::Type);
        candidates.retain(|found| !found.entry.is(DECLARATION));
        let same_tag = |die: DieId| {
            let found = self.entry(die).map(|(_, found)| found.tag());
            // A class may be declared as a struct and the other way round.
            found.is_ok_and(|tag| is_class(tag) == is_class(entry.tag()))
        };
        candidates
            .into_iter()
            .map(|found| found.die())
            .filter(|found| same_tag(*found))
            .min_by_key(|found| (found.unit != id.0.unit, *found))
            .map(TypeId)
    }

    /// The size of a value of a type in bytes; `None` where it has none (functions, unknown
    /// arrays, void).
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        let mut id = id;
        for _ in 0..MOST_LAYERS {
            id = match &*self.type_of(id).ok()? {
                Type::Base(base) => return Some(base.size),
                Type::Pointer(pointer) => return Some(pointer.size),
                Type::Aggregate(aggregate) => {
                    return (!aggregate.is_declaration).then_some(aggregate.size);
                }
                Type::Enumeration(enumeration) => return Some(enumeration.size),
                Type::Array(array) => return array.size,
                Type::PointerToMember(pointer) => return Some(pointer.size),
                Type::Function(_) | Type::Unspecified(_) => return None,
                Type::Typedef(typedef) => typedef.target?,
                Type::Qualified(qualified) => qualified.target?,
            };
        }
        None
    }

    /// The type without typedefs and qualifiers; `None`: it comes down to void.
    pub fn strip(&self, id: TypeId) -> Option<TypeId> {
        let mut id = id;
        for _ in 0..MOST_LAYERS {
            id = match &*self.type_of(id).ok()? {
                Type::Typedef(typedef) => typedef.target?,
                Type::Qualified(qualified) => qualified.target?,
                _ => return Some(id),
            };
        }
        None
    }

    fn read_type(&self, id: TypeId) -> Result<Type, SymbolsError> {
        let definition = self.definition(id);
        let (unit, entry) = self.entry(definition.0)?;
        let target = || self.referred(&unit, &entry, gimli::DW_AT_type).map(TypeId);
        let name = die::text(&unit, &entry, gimli::DW_AT_name).map(Arc::<str>::from);
        let size = die::number(&entry, gimli::DW_AT_byte_size);
        let qualified = |qualifier| {
            Type::Qualified(QualifiedType {
                qualifier,
                target: target(),
            })
        };
        let pointer = |kind| {
            Type::Pointer(PointerType {
                kind,
                target: target(),
                size: size.unwrap_or(8),
                name: name.clone(),
            })
        };
        Ok(match entry.tag() {
            gimli::DW_TAG_base_type => Type::Base(base_type(&entry, name, size)),
            gimli::DW_TAG_pointer_type => pointer(PointerKind::Pointer),
            gimli::DW_TAG_reference_type => pointer(PointerKind::Reference),
            gimli::DW_TAG_rvalue_reference_type => pointer(PointerKind::RvalueReference),
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_interface_type => self.read_aggregate(definition.0)?,
            gimli::DW_TAG_enumeration_type => self.read_enumeration(definition.0)?,
            gimli::DW_TAG_array_type => self.read_array(definition.0)?,
            gimli::DW_TAG_subroutine_type | gimli::DW_TAG_subprogram => {
                self.read_function_type(definition.0)?
            }
            gimli::DW_TAG_typedef | gimli::DW_TAG_template_alias => {
                let name = name.unwrap_or_default();
                Type::Typedef(Typedef {
                    qualified_name: self.qualified_name(definition.0, &name).into(),
                    name,
                    target: target(),
                })
            }
            gimli::DW_TAG_const_type | gimli::DW_TAG_immutable_type => qualified(Qualifier::Const),
            gimli::DW_TAG_volatile_type => qualified(Qualifier::Volatile),
            gimli::DW_TAG_restrict_type => qualified(Qualifier::Restrict),
            gimli::DW_TAG_atomic_type => qualified(Qualifier::Atomic),
            gimli::DW_TAG_ptr_to_member_type => Type::PointerToMember(PointerToMember {
                target: target(),
                class: self
                    .referred(&unit, &entry, gimli::DW_AT_containing_type)
                    .map(TypeId),
                size: size.unwrap_or_else(|| self.member_pointer_size(target())),
            }),
            _ => Type::Unspecified(UnspecifiedType {
                name: name.unwrap_or_else(|| "<unknown type>".into()),
            }),
        })
    }

    /// A pointer to a method is two words, one to data is one.
    fn member_pointer_size(&self, target: Option<TypeId>) -> u64 {
        let target = target.and_then(|target| self.type_of(target).ok());
        match target.as_deref() {
            Some(Type::Function(_)) => 16,
            _ => 8,
        }
    }

    fn read_enumeration(&self, die: DieId) -> Result<Type, SymbolsError> {
        let (unit, entry) = &self.entry(die)?;
        let name = die::text(unit, entry, gimli::DW_AT_name);
        let underlying = self.referred(unit, entry, gimli::DW_AT_type).map(TypeId);
        let stated = match entry.attr_value(gimli::DW_AT_encoding) {
            Some(AttributeValue::Encoding(encoding)) => Some(encoding == gimli::DW_ATE_signed),
            _ => underlying.map(|underlying| self.is_signed(underlying)),
        };
        let mut values = Vec::new();
        self.children(die, |child| {
            if child.tag() == gimli::DW_TAG_enumerator
                && let Some(name) = die::text(unit, child, gimli::DW_AT_name)
                && let Some(value) = child.attr_value(gimli::DW_AT_const_value)
            {
                values.push((name, value));
            }
        })?;
        let negative = |(_, value): &(String, AttributeValue<_>)| matches!(value, AttributeValue::Sdata(v) if *v < 0);
        let is_signed = stated.unwrap_or(false) || values.iter().any(negative);
        let enumerators = values
            .into_iter()
            .map(|(name, value)| Enumerator {
                name: name.into(),
                value: integer(&value, is_signed).unwrap_or(0),
            })
            .collect();
        Ok(Type::Enumeration(Enumeration {
            qualified_name: name
                .as_deref()
                .map(|name| self.qualified_name(die, name).into()),
            name: name.map(Arc::from),
            size: die::number(entry, gimli::DW_AT_byte_size)
                .or_else(|| underlying.and_then(|underlying| self.size_of(underlying)))
                .unwrap_or(0),
            is_signed,
            is_scoped: die::flag(entry, gimli::DW_AT_enum_class),
            underlying,
            enumerators,
            is_declaration: die::flag(entry, gimli::DW_AT_declaration),
        }))
    }

    /// Whether values of a type have a sign.
    pub(crate) fn is_signed(&self, id: TypeId) -> bool {
        let Some(id) = self.strip(id) else {
            return false;
        };
        match self.type_of(id).as_deref() {
            Ok(Type::Base(base)) => {
                matches!(base.encoding, Encoding::Signed | Encoding::SignedCharacter)
            }
            Ok(Type::Enumeration(enumeration)) => enumeration.is_signed,
            _ => false,
        }
    }

    fn read_function_type(&self, die: DieId) -> Result<Type, SymbolsError> {
        let (unit, entry) = self.entry(die)?;
        let mut parameters = Vec::new();
        let mut is_variadic = false;
        self.children(die, |child| match child.tag() {
            gimli::DW_TAG_formal_parameter => parameters.push(self.type_attribute(&unit, child)),
            gimli::DW_TAG_unspecified_parameters => is_variadic = true,
            _ => {}
        })?;
        let is_prototyped = self.in_origins(&unit, &entry, |_, entry| {
            die::flag(entry, gimli::DW_AT_prototyped).then_some(())
        });
        let needs_flag = unit.language == crate::Language::C;
        Ok(Type::Function(FunctionType {
            return_type: self.type_attribute(&unit, &entry),
            parameters,
            is_variadic,
            is_prototyped: !needs_flag || is_prototyped.is_some(),
        }))
    }
}

thread_local! {
    /// The types that this thread is reading, with their modules: a description that goes in
    /// circles comes back to one of them.
    static READING: RefCell<Vec<(usize, TypeId)>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a type in the list of those being read.
struct Reading;

impl Reading {
    fn begin(module: &Module, id: TypeId) -> Option<Reading> {
        let entry = (std::ptr::from_ref(module) as usize, id);
        READING.with_borrow_mut(|reading| {
            if reading.len() >= MOST_LAYERS || reading.contains(&entry) {
                return None;
            }
            reading.push(entry);
            Some(Reading)
        })
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        READING.with_borrow_mut(|reading| {
            reading.pop();
        });
    }
}

fn is_class(tag: gimli::DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_interface_type
    )
}

fn base_type(entry: &Entry<'_>, name: Option<Arc<str>>, size: Option<u64>) -> BaseType {
    let encoding = match entry.attr_value(gimli::DW_AT_encoding) {
        Some(AttributeValue::Encoding(encoding)) => encoding,
        _ => gimli::DwAte(0),
    };
    let bit_size = die::number(entry, gimli::DW_AT_bit_size);
    BaseType {
        name: name.unwrap_or_default(),
        encoding: match encoding {
            gimli::DW_ATE_boolean => Encoding::Boolean,
            gimli::DW_ATE_signed => Encoding::Signed,
            gimli::DW_ATE_unsigned => Encoding::Unsigned,
            gimli::DW_ATE_signed_char => Encoding::SignedCharacter,
            gimli::DW_ATE_unsigned_char => Encoding::UnsignedCharacter,
            gimli::DW_ATE_UTF | gimli::DW_ATE_UCS | gimli::DW_ATE_ASCII => Encoding::Unicode,
            gimli::DW_ATE_float => Encoding::Float,
            gimli::DW_ATE_complex_float => Encoding::ComplexFloat,
            gimli::DW_ATE_decimal_float => Encoding::DecimalFloat,
            gimli::DW_ATE_address => Encoding::Address,
            other => Encoding::Other(other.0),
        },
        size: size
            .or_else(|| bit_size.map(|bits| bits.div_ceil(8)))
            .unwrap_or(0),
        bit_size,
    }
}

/// An integer attribute; forms of fixed size say nothing about the sign.
pub(crate) fn integer(
    value: &AttributeValue<crate::unit::Reader<'_>>,
    is_signed: bool,
) -> Option<i128> {
    Some(match *value {
        AttributeValue::Sdata(value) => i128::from(value),
        AttributeValue::Udata(value) => i128::from(value),
        AttributeValue::Data1(value) if is_signed => i128::from(value as i8),
        AttributeValue::Data2(value) if is_signed => i128::from(value as i16),
        AttributeValue::Data4(value) if is_signed => i128::from(value as i32),
        AttributeValue::Data8(value) if is_signed => i128::from(value as i64),
        // Only the bits count: their reader knows whether the type has a sign.
        AttributeValue::Data16(value) => value as i128,
        AttributeValue::Block(block) if block.len() <= 16 => {
            let mut bytes = [0; 16];
            bytes[..block.len()].copy_from_slice(block.slice());
            i128::from_le_bytes(bytes)
        }
        _ => i128::from(value.udata_value()?),
    })
}
