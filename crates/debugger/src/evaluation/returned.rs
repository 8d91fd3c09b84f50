//! The value that a function has just returned, taken out of the registers.

use wayfarer_backend::{GeneralRegisters, VectorRegisters};
use wayfarer_expression::{Shape, TypeRef, Value};
use wayfarer_symbols::types::Encoding;

use super::arguments::{Class, classes};

/// The value of a result type, or none where it can't be told. A large object is at the address in rax.
pub(crate) fn returned(
    type_ref: &TypeRef,
    general: &GeneralRegisters,
    vector: Option<&VectorRegisters>,
) -> Option<Value> {
    let size = type_ref.size()? as usize;
    if let Shape::Base(base) = type_ref.shape()
        && base.encoding == Encoding::Float
        && base.size > 8
    {
        let mut bytes = vector?.st[0].to_vec();
        bytes.resize(size, 0);
        return Some(Value::computed(type_ref.clone(), bytes));
    }
    let Some(classes) = classes(type_ref) else {
        return Some(Value::in_memory(type_ref.clone(), general.rax));
    };
    let mut integers = [general.rax, general.rdx].into_iter();
    let mut vectors = vector.iter().flat_map(|vector| &vector.ymm[..2]);
    let mut bytes = Vec::with_capacity(16);
    for class in classes {
        match class {
            Class::Integer => bytes.extend(integers.next()?.to_le_bytes()),
            Class::Vector => bytes.extend(vectors.next()?.get(..8)?),
        }
    }
    bytes.truncate(size);
    Some(Value::computed(type_ref.clone(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wayfarer_expression::Language;
    use wayfarer_symbols::location::Place;

    #[test]
    fn integers_and_floats_come_from_their_registers() {
        let general = GeneralRegisters {
            rax: u64::MAX - 1,
            ..Default::default()
        };
        let mut ymm = [[0; 32]; 16];
        ymm[0][..8].copy_from_slice(&2.5f64.to_le_bytes());
        let vector = VectorRegisters {
            ymm,
            ..Default::default()
        };
        let place = |name: &str, encoding, size| {
            let type_ref = TypeRef::base(name, encoding, size, Language::C);
            returned(&type_ref, &general, Some(&vector))
                .expect("a value")
                .place
        };
        assert_eq!(
            place("int", Encoding::Signed, 4),
            Place::Value(vec![0xfe, 0xff, 0xff, 0xff])
        );
        assert_eq!(
            place("double", Encoding::Float, 8),
            Place::Value(2.5f64.to_le_bytes().to_vec())
        );
    }
}
