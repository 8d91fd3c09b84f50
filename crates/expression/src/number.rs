//! Numbers: decoded from the bytes of a value, computed with, encoded again.

use wayfarer_symbols::types::{BaseType, Encoding};

use crate::syntax::Language;
use crate::types::{MadeType, Shape, TypeRef};

/// A decoded scalar. An unsigned number of 128 bits is kept as its bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    pub(crate) fn is_zero(self) -> bool {
        match self {
            Number::Integer(value) => value == 0,
            Number::Float(value) => value == 0.0,
        }
    }

    pub(crate) fn as_float(self, signed: bool) -> f64 {
        match self {
            Number::Integer(value) if signed => value as f64,
            Number::Integer(value) => value as u128 as f64,
            Number::Float(value) => value,
        }
    }

    pub(crate) fn as_integer(self) -> i128 {
        match self {
            Number::Integer(value) => value,
            Number::Float(value) => value as i128,
        }
    }
}

/// How the bits of a scalar type are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub bytes: u64,
    pub signed: bool,
    pub float: bool,
}

impl Scalar {
    pub(crate) const fn integer(bytes: u64, signed: bool) -> Scalar {
        Scalar {
            bytes,
            signed,
            float: false,
        }
    }

    /// The scalar that a type is, if it is one.
    pub(crate) fn of(type_ref: &TypeRef) -> Option<Scalar> {
        match type_ref.shape() {
            Shape::Base(base) => Scalar::of_base(&base),
            Shape::Enumeration(enumeration) => (1..=16)
                .contains(&enumeration.size)
                .then(|| Scalar::integer(enumeration.size, enumeration.is_signed)),
            Shape::Pointer { .. } => Some(Scalar::integer(8, false)),
            _ => None,
        }
    }

    pub(crate) fn of_base(base: &BaseType) -> Option<Scalar> {
        let (signed, float) = match base.encoding {
            Encoding::Signed | Encoding::SignedCharacter => (true, false),
            Encoding::Float => (true, true),
            Encoding::Boolean
            | Encoding::Unsigned
            | Encoding::UnsignedCharacter
            | Encoding::Unicode
            | Encoding::Address => (false, false),
            Encoding::ComplexFloat | Encoding::DecimalFloat | Encoding::Other(_) => return None,
        };
        let valid = if float {
            matches!(base.size, 4 | 8 | 10 | 12 | 16)
        } else {
            (1..=16).contains(&base.size)
        };
        valid.then_some(Scalar {
            bytes: base.size,
            signed,
            float,
        })
    }

    /// The number that these bytes are, least significant first.
    pub(crate) fn decode(self, bytes: &[u8]) -> Number {
        if self.float {
            return Number::Float(decode_float(bytes));
        }
        let mut wide = [0; 16];
        let length = bytes.len().min(16);
        wide[..length].copy_from_slice(&bytes[..length]);
        Number::Integer(self.wrap(i128::from_le_bytes(wide)))
    }

    /// The integer as this type keeps it: high bits cut, sign or zeros extended.
    pub(crate) fn wrap(self, value: i128) -> i128 {
        wrap_bits(value, self.bytes.saturating_mul(8), self.signed)
    }

    /// The bytes of a number in this type.
    pub(crate) fn encode(self, number: Number) -> Vec<u8> {
        let size = self.bytes as usize;
        if self.float {
            let value = number.as_float(true);
            return match size {
                4 => (value as f32).to_le_bytes().to_vec(),
                8 => value.to_le_bytes().to_vec(),
                _ => encode_extended(value, size),
            };
        }
        let mut bytes = number.as_integer().to_le_bytes().to_vec();
        bytes.resize(size, 0);
        bytes
    }
}

/// Keeps the low bits of an integer, extended by its sign or by zeros.
pub(crate) fn wrap_bits(value: i128, bits: u64, signed: bool) -> i128 {
    if bits == 0 {
        return 0;
    }
    if bits >= 128 {
        return value;
    }
    let shift = 128 - bits as u32;
    if signed {
        value << shift >> shift
    } else {
        ((value as u128) << shift >> shift) as i128
    }
}

fn decode_float(bytes: &[u8]) -> f64 {
    match bytes.len() {
        4 => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        8 => f64::from_bits(u64::from_le_bytes(bytes.try_into().unwrap_or_default())),
        10.. => decode_extended(bytes).map_or(f64::NAN, |extended| extended.to_f64()),
        _ => f64::NAN,
    }
}

/// The parts of an x87 number of 80 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extended {
    pub negative: bool,
    pub exponent: u16,
    pub mantissa: u64,
}

impl Extended {
    fn to_f64(self) -> f64 {
        let sign = if self.negative { -1.0 } else { 1.0 };
        if self.exponent == 0x7fff {
            return if self.mantissa << 1 == 0 {
                sign * f64::INFINITY
            } else {
                f64::NAN
            };
        }
        let exponent = i32::from(self.exponent) - 16383 - 63;
        // In two steps, so that results near the limits of f64 are not lost on the way.
        let half = exponent / 2;
        sign * self.mantissa as f64 * f64::from(half).exp2() * f64::from(exponent - half).exp2()
    }
}

pub(crate) fn decode_extended(bytes: &[u8]) -> Option<Extended> {
    let mantissa = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
    let high = u16::from_le_bytes(bytes.get(8..10)?.try_into().ok()?);
    Some(Extended {
        negative: high >> 15 == 1,
        exponent: high & 0x7fff,
        mantissa,
    })
}

fn encode_extended(value: f64, size: usize) -> Vec<u8> {
    let bits = value.to_bits();
    let sign = (bits >> 63) as u16;
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits << 12 >> 1;
    let (exponent, mantissa) = match exponent {
        0x7ff => (0x7fff, 1 << 63 | fraction),
        0 if fraction == 0 => (0, 0),
        0 => {
            let shift = fraction.leading_zeros() as i32;
            (16383 - 1022 - shift, fraction << shift)
        }
        _ => (exponent - 1023 + 16383, 1 << 63 | fraction),
    };
    let mut bytes = mantissa.to_le_bytes().to_vec();
    bytes.extend((sign << 15 | exponent as u16).to_le_bytes());
    bytes.resize(size, 0);
    bytes
}

/// The language's own types, by the names that gdb gives them.
pub(crate) fn builtin(name: &str, language: Language) -> Option<TypeRef> {
    let (encoding, size) = match language {
        Language::Rust => match name {
            "i8" => (Encoding::Signed, 1),
            "i16" => (Encoding::Signed, 2),
            "i32" => (Encoding::Signed, 4),
            "i64" | "isize" => (Encoding::Signed, 8),
            "i128" => (Encoding::Signed, 16),
            "u8" => (Encoding::Unsigned, 1),
            "u16" => (Encoding::Unsigned, 2),
            "u32" => (Encoding::Unsigned, 4),
            "u64" | "usize" => (Encoding::Unsigned, 8),
            "u128" => (Encoding::Unsigned, 16),
            "f32" => (Encoding::Float, 4),
            "f64" => (Encoding::Float, 8),
            "bool" => (Encoding::Boolean, 1),
            "char" => (Encoding::Unicode, 4),
            _ => return None,
        },
        Language::C | Language::Cpp => match name {
            "char" | "signed char" => (Encoding::SignedCharacter, 1),
            "unsigned char" => (Encoding::UnsignedCharacter, 1),
            "short" => (Encoding::Signed, 2),
            "unsigned short" => (Encoding::Unsigned, 2),
            "int" => (Encoding::Signed, 4),
            "unsigned int" => (Encoding::Unsigned, 4),
            "long" | "long long" => (Encoding::Signed, 8),
            "unsigned long" | "unsigned long long" => (Encoding::Unsigned, 8),
            "__int128" => (Encoding::Signed, 16),
            "__int128 unsigned" => (Encoding::Unsigned, 16),
            "float" => (Encoding::Float, 4),
            "double" => (Encoding::Float, 8),
            "long double" => (Encoding::Float, 16),
            "bool" | "_Bool" => (Encoding::Boolean, 1),
            "wchar_t" => (Encoding::Signed, 4),
            "char8_t" => (Encoding::Unicode, 1),
            "char16_t" => (Encoding::Unicode, 2),
            "char32_t" => (Encoding::Unicode, 4),
            "complex float" => (Encoding::ComplexFloat, 8),
            "complex double" => (Encoding::ComplexFloat, 16),
            "complex long double" => (Encoding::ComplexFloat, 32),
            "void" => return Some(TypeRef::Void),
            _ => return None,
        },
    };
    Some(TypeRef::base(name, encoding, size, language))
}

/// The builtin of this name, which exists.
pub(crate) fn builtin_or_void(name: &str, language: Language) -> TypeRef {
    builtin(name, language).unwrap_or(TypeRef::Void)
}

/// What Rust's text is made of: an array of these is printed as text.
pub(crate) fn text_element() -> TypeRef {
    TypeRef::base("str", Encoding::Unsigned, 1, Language::Rust)
}

/// Whether an array of this type is Rust's text.
pub(crate) fn is_text(element: &TypeRef) -> bool {
    match element {
        TypeRef::Made(made) => matches!(&**made, MadeType::Base(base, _) if &*base.name == "str"),
        _ => false,
    }
}
