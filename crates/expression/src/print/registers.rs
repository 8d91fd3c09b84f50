//! Registers whose bits mean more than a number: the flags, and the vectors with all their readings.

use wayfarer_symbols::types::Encoding;

use super::Opener;
use super::form::{Content, FieldStyle, Fields, Form, Label, Part, Parts};
use crate::syntax::Language;
use crate::types::TypeRef;
use crate::value::Value;

/// The name of the type that a vector register has.
pub(crate) const VECTOR: &str = "vec128";

/// The name of the type that the register of flags has.
pub(crate) const FLAGS: &str = "i386_eflags";

const FLAG_NAMES: [(u32, &str); 16] = [
    (0, "CF"),
    (2, "PF"),
    (4, "AF"),
    (6, "ZF"),
    (7, "SF"),
    (8, "TF"),
    (9, "IF"),
    (10, "DF"),
    (11, "OF"),
    (14, "NT"),
    (16, "RF"),
    (17, "VM"),
    (18, "AC"),
    (19, "VIF"),
    (20, "VIP"),
    (21, "ID"),
];

/// The flags that are set, lowest bit first, as gdb writes them: `[ PF ZF ]`.
pub fn flags(number: i128) -> String {
    let set: String = FLAG_NAMES
        .iter()
        .filter(|(bit, _)| number >> bit & 1 == 1)
        .map(|(_, name)| format!(" {name}"))
        .collect();
    format!("[{set} ]")
}

/// The readings of a vector register: name and type.
pub(crate) fn vector_readings() -> [(&'static str, TypeRef); 7] {
    let base = |name: &str, encoding: Encoding, size: u64| {
        TypeRef::base(name, encoding, size, Language::C)
    };
    let of = |element: TypeRef, count: u64| element.array(Some(count));
    [
        ("v4_float", of(base("float", Encoding::Float, 4), 4)),
        ("v2_double", of(base("double", Encoding::Float, 8), 2)),
        ("v16_int8", of(base("int8_t", Encoding::Signed, 1), 16)),
        ("v8_int16", of(base("int16_t", Encoding::Signed, 2), 8)),
        ("v4_int32", of(base("int32_t", Encoding::Signed, 4), 4)),
        ("v2_int64", of(base("int64_t", Encoding::Signed, 8), 2)),
        ("uint128", base("uint128_t", Encoding::Unsigned, 16)),
    ]
}

impl Opener<'_> {
    pub(super) fn vector(&mut self, value: &Value) -> Form {
        let parts = vector_readings()
            .into_iter()
            .map(|(name, type_ref)| Part {
                label: Label::Member(Some(name.to_string())),
                content: Content::Value(value.part(type_ref, 0, None)),
            })
            .collect();
        Form::Fields(Fields {
            name: String::new(),
            style: FieldStyle::Readings,
            parts: Parts::Listed(parts),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::flags;

    #[test]
    fn the_flags_that_are_set_are_named() {
        assert_eq!(flags(0x246), "[ PF ZF IF ]");
        assert_eq!(flags(2), "[ ]");
    }
}
