//! Reads array types: how many elements, of which size.

use std::sync::Arc;

use gimli::AttributeValue;

use crate::die::{self, DieId, Entry, TypeId};
use crate::error::SymbolsError;
use crate::module::Module;
use crate::type_reader::integer;
use crate::types::{ArrayType, Dimension, Type};
use crate::unit::Unit;

/// Arrays and typedefs are not stacked higher than this.
const MOST_LAYERS: usize = 64;

impl Module {
    pub(crate) fn read_array(&self, die: DieId) -> Result<Type, SymbolsError> {
        let (unit, entry) = self.entry(die)?;
        let element = self.referred(&unit, &entry, gimli::DW_AT_type).map(TypeId);
        let mut dimensions = Vec::new();
        self.children(die, |child| {
            if child.tag() == gimli::DW_TAG_subrange_type {
                dimensions.push(self.dimension(&unit, child));
            }
        })?;
        let count = dimensions.iter().try_fold(1u64, |product, dimension| {
            let Dimension::Count(count) = dimension else {
                return None;
            };
            product.checked_mul(*count)
        });
        let size = die::number(&entry, gimli::DW_AT_byte_size).or_else(|| {
            // An array cannot contain itself, but damaged information may say so: the size of
            // such an element is never found, because reading it comes back here.
            let element = element.filter(|element| element.0 != die)?;
            self.element_size(element, 0)?.checked_mul(count?)
        });
        Ok(Type::Array(ArrayType {
            element,
            dimensions,
            size,
            is_vector: die::flag(&entry, gimli::DW_AT_GNU_vector),
        }))
    }

    /// The size of an array's element, found without reading arrays as types (they may be nested
    /// in a circle).
    fn element_size(&self, id: TypeId, depth: usize) -> Option<u64> {
        if depth > MOST_LAYERS {
            return None;
        }
        let (unit, entry) = self.entry(self.definition(id).0).ok()?;
        if let Some(size) = die::number(&entry, gimli::DW_AT_byte_size) {
            return Some(size);
        }
        let target = self.referred(&unit, &entry, gimli::DW_AT_type).map(TypeId);
        match entry.tag() {
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type => Some(8),
            gimli::DW_TAG_array_type => {
                let mut product = Some(1u64);
                self.children(DieId::new(unit.id, entry.offset()), |child| {
                    if child.tag() == gimli::DW_TAG_subrange_type {
                        let count = match self.dimension(&unit, child) {
                            Dimension::Count(count) => Some(count),
                            _ => None,
                        };
                        product = product.and_then(|product| product.checked_mul(count?));
                    }
                })
                .ok()?;
                self.element_size(target?, depth + 1)?.checked_mul(product?)
            }
            gimli::DW_TAG_ptr_to_member_type => Some(8),
            _ => self.element_size(target?, depth + 1),
        }
    }

    fn dimension<'module>(
        &'module self,
        unit: &Unit<'module>,
        range: &Entry<'module>,
    ) -> Dimension {
        if let Some(value) = range.attr_value(gimli::DW_AT_count) {
            if let Some(count) = value.udata_value() {
                return Dimension::Count(count);
            }
            if let Ok(Some(variable)) = self.resolve(unit.id, value) {
                return Dimension::CountVariable(variable);
            }
        }
        let lower = die::number(range, gimli::DW_AT_lower_bound).unwrap_or(0);
        match range.attr_value(gimli::DW_AT_upper_bound) {
            None => Dimension::Unknown,
            Some(AttributeValue::Exprloc(expression)) => {
                Dimension::UpperBoundExpression(Arc::from(expression.0.slice()))
            }
            Some(value) => match integer(&value, true) {
                // An upper bound of -1 is an array without elements.
                Some(upper) => {
                    let count = upper - i128::from(lower) + 1;
                    Dimension::Count(u64::try_from(count).unwrap_or(0))
                }
                None => match self.resolve(unit.id, value) {
                    Ok(Some(variable)) => Dimension::UpperBoundVariable(variable),
                    _ => Dimension::Unknown,
                },
            },
        }
    }
}
