//! Numbers, characters, booleans and enumerations, in their own form or that of a format letter.

use wayfarer_symbols::types::{BaseType, BitField, Encoding, Enumeration};

use super::float::float_text;
use super::text::{CharacterKind, character};
use super::{Letter, Opener};
use crate::evaluate::bits_of;
use crate::number::{Number, Scalar, wrap_bits};
use crate::syntax::Language;
use crate::types::TypeRef;
use crate::value::Value;

impl Opener<'_> {
    pub(super) fn base(&mut self, value: &Value, base: &BaseType, bytes: &[u8]) -> String {
        if base.encoding == Encoding::ComplexFloat {
            let (real, imaginary) = bytes.split_at(bytes.len() / 2);
            return format!("{} + {}i", float_text(real), float_text(imaginary));
        }
        let Some(scalar) = Scalar::of_base(base) else {
            if base.size == 0 {
                return base.name.to_string();
            }
            return raw_bytes(bytes);
        };
        if let Some(letter) = self.format.letter
            && letter != Letter::Text
        {
            return self.with_letter(letter, value.bits, scalar, bytes);
        }
        if scalar.float {
            return float_text(bytes);
        }
        let number = integer(value.bits, scalar, bytes);
        let rust = value.type_ref.language() == Language::Rust;
        match base.encoding {
            Encoding::Boolean => match number {
                0 => "false".to_string(),
                1 => "true".to_string(),
                other => other.to_string(),
            },
            Encoding::Unicode if rust => character(
                number as u32,
                CharacterKind {
                    bytes: 4,
                    prefix: "",
                    rust: true,
                },
            ),
            _ => match character_kind(&value.type_ref) {
                Some(kind) if !rust => {
                    let code = wrap_bits(number, scalar.bytes * 8, false) as u32;
                    format!("{number} {}", character(code, kind))
                }
                _ => unsigned_or_signed(number, scalar),
            },
        }
    }

    pub(super) fn enumeration(
        &mut self,
        value: &Value,
        enumeration: &Enumeration,
        bytes: &[u8],
    ) -> String {
        let scalar = Scalar::integer(enumeration.size.clamp(1, 16), enumeration.is_signed);
        if let Some(letter) = self.format.letter
            && letter != Letter::Text
        {
            return self.with_letter(letter, value.bits, scalar, bytes);
        }
        let number = integer(value.bits, scalar, bytes);
        let prefix = enumerator_prefix(&value.type_ref, enumeration);
        let matching = enumeration
            .enumerators
            .iter()
            .find(|enumerator| scalar.wrap(enumerator.value) == number);
        if let Some(enumerator) = matching {
            return format!("{prefix}{}", enumerator.name);
        }
        if value.type_ref.language() == Language::Rust || !is_flags(enumeration) {
            return number.to_string();
        }
        flags(enumeration, &prefix, number)
    }

    /// A scalar in the form that a letter asks for.
    pub(super) fn with_letter(
        &mut self,
        letter: Letter,
        bits: Option<BitField>,
        scalar: Scalar,
        bytes: &[u8],
    ) -> String {
        let width = scalar.bytes * 8;
        let signed = match (scalar.float, letter) {
            (true, Letter::Float) => return float_text(bytes),
            // An address or a character of a floating-point number is that of its value; anything
            // else shows its bits.
            (true, Letter::Address | Letter::Character) => scalar.decode(bytes).as_integer(),
            (true, _) => Scalar::integer(scalar.bytes, false)
                .decode(bytes)
                .as_integer(),
            (false, _) => integer(bits, scalar, bytes),
        };
        let unsigned = wrap_bits(signed, width, false) as u128;
        match letter {
            Letter::Hexadecimal => format!("{unsigned:#x}"),
            Letter::PaddedHexadecimal => {
                format!("0x{unsigned:0width$x}", width = (scalar.bytes * 2) as usize)
            }
            Letter::Signed => wrap_bits(signed, width, true).to_string(),
            Letter::Unsigned => unsigned.to_string(),
            Letter::Octal if unsigned == 0 => "0".to_string(),
            Letter::Octal => format!("0{unsigned:o}"),
            Letter::Binary => format!("{unsigned:b}"),
            Letter::Address => self.address(signed as u64),
            // A character has one byte, whatever the type is.
            Letter::Character => {
                let narrow = wrap_bits(signed, 8, scalar.signed);
                let code = u32::from(signed as u8);
                format!("{narrow} {}", character(code, CharacterKind::C))
            }
            Letter::Float => match scalar.bytes {
                4 | 8 => float_text(&scalar.encode(Number::Integer(signed))),
                _ => unsigned_or_signed(signed, scalar),
            },
            Letter::Text => unsigned_or_signed(signed, scalar),
        }
    }

    /// `0x401136 <main+4>`.
    pub(crate) fn address(&mut self, address: u64) -> String {
        match self.symbol(address) {
            Some(symbol) => format!("{address:#x} <{symbol}>"),
            None => format!("{address:#x}"),
        }
    }

    /// `main+4`.
    pub(crate) fn symbol(&mut self, address: u64) -> Option<String> {
        let symbol = self.scope.symbol_at(address)?;
        Some(match symbol.offset {
            0 => symbol.name,
            offset => format!("{}+{offset}", symbol.name),
        })
    }
}

fn integer(bits: Option<BitField>, scalar: Scalar, bytes: &[u8]) -> i128 {
    match bits {
        Some(bits) => bits_of(bytes, bits, scalar.signed),
        None => scalar.decode(bytes).as_integer(),
    }
}

fn unsigned_or_signed(number: i128, scalar: Scalar) -> String {
    if scalar.signed {
        number.to_string()
    } else {
        (number as u128).to_string()
    }
}

fn raw_bytes(bytes: &[u8]) -> String {
    let digits: String = bytes
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("0x{digits}")
}

/// How characters of a type are written, if it is a type of characters.
pub(crate) fn character_kind(type_ref: &TypeRef) -> Option<CharacterKind> {
    // `wchar_t` and its like are typedefs in C: the names on the way count.
    let mut current = type_ref.clone();
    for _ in 0..16 {
        if let Some(wayfarer_symbols::Type::Typedef(typedef)) = current.node().as_deref() {
            let kind = match &*typedef.name {
                "wchar_t" => Some((4, "L")),
                "char16_t" => Some((2, "u")),
                "char32_t" => Some((4, "U")),
                _ => None,
            };
            if let Some((bytes, prefix)) = kind {
                return Some(CharacterKind {
                    bytes,
                    prefix,
                    rust: false,
                });
            }
        }
        match current.peel() {
            Some(next) => current = next,
            None => break,
        }
    }
    let crate::types::Shape::Base(base) = current.shape() else {
        return None;
    };
    let (bytes, prefix) = match (base.encoding, &*base.name, base.size) {
        (_, "wchar_t", 4) => (4, "L"),
        (_, "char8_t", 1) => (1, "u8"),
        (_, "char16_t", 2) => (2, "u"),
        (_, "char32_t", 4) => (4, "U"),
        (Encoding::SignedCharacter | Encoding::UnsignedCharacter, _, 1) => (1, ""),
        _ => return None,
    };
    Some(CharacterKind {
        bytes,
        prefix,
        rust: false,
    })
}

/// The part of an enumerator's name that C++ puts before it.
fn enumerator_prefix(type_ref: &TypeRef, enumeration: &Enumeration) -> String {
    let qualified = enumeration.qualified_name.as_deref().unwrap_or_default();
    match type_ref.language() {
        Language::C => String::new(),
        Language::Rust => match enumeration.name.as_deref() {
            Some(_) => String::new(),
            None => String::new(),
        },
        Language::Cpp if enumeration.is_scoped => format!("{qualified}::"),
        Language::Cpp => match qualified.rfind("::") {
            Some(at) => qualified[..at + 2].to_string(),
            None => String::new(),
        },
    }
}

/// Whether the enumerators are single bits, so that sums of them have a meaning.
fn is_flags(enumeration: &Enumeration) -> bool {
    enumeration
        .enumerators
        .iter()
        .all(|enumerator| enumerator.value >= 0 && enumerator.value.count_ones() < 2)
        && !enumeration.enumerators.is_empty()
}

fn flags(enumeration: &Enumeration, prefix: &str, number: i128) -> String {
    let mut rest = number;
    let mut names = Vec::new();
    for enumerator in &enumeration.enumerators {
        if enumerator.value != 0 && rest & enumerator.value != 0 {
            rest &= !enumerator.value;
            names.push(format!("{prefix}{}", enumerator.name));
        }
    }
    if rest != 0 {
        names.push(format!("unknown: {rest:#x}"));
    }
    if names.is_empty() {
        return "0".to_string();
    }
    format!("({})", names.join(" | "))
}
