//! The values of literals, in the types that each language gives them.

use super::{Evaluated, Evaluator, encode};
use crate::number::{Number, builtin_or_void, text_element};
use crate::scope::EvaluationError;
use crate::syntax::{IntegerSuffix, Language};
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn integer(
        &mut self,
        value: u128,
        suffix: IntegerSuffix,
        decimal: bool,
    ) -> Evaluated {
        let too_large = || EvaluationError::invalid("Numeric constant too large.");
        let fits = |bits: u32| value >> (bits - 1) >> 1 == 0;
        let name = match (suffix, self.language) {
            (IntegerSuffix::Rust { bytes, signed }, _) => {
                let bits = if bytes == 0 { 64 } else { u32::from(bytes) * 8 };
                if !fits(bits) {
                    return Err(too_large());
                }
                let letter = if signed { "i" } else { "u" };
                let width = if bytes == 0 {
                    "size".to_string()
                } else {
                    bits.to_string()
                };
                let found = builtin_or_void(&format!("{letter}{width}"), Language::Rust);
                return Ok(encode(found, Number::Integer(value as i128)));
            }
            (_, Language::Rust) if fits(31) => "i32",
            (_, Language::Rust) if fits(63) => "i64",
            (_, Language::Rust) if fits(127) => "i128",
            (_, Language::Rust) => "u128",
            (IntegerSuffix::C { unsigned, long }, _) => {
                c_integer(value, unsigned, long > 0, decimal).ok_or_else(too_large)?
            }
            (IntegerSuffix::None, _) => {
                c_integer(value, false, false, decimal).ok_or_else(too_large)?
            }
        };
        Ok(encode(
            builtin_or_void(name, self.language),
            Number::Integer(value as i128),
        ))
    }

    pub(super) fn float(&mut self, value: f64, bytes: u8) -> Value {
        let name = match (self.language, bytes) {
            (Language::Rust, 4) => "f32",
            (Language::Rust, _) => "f64",
            (_, 4) => "float",
            (_, 16) => "long double",
            _ => "double",
        };
        encode(builtin_or_void(name, self.language), Number::Float(value))
    }

    pub(super) fn character(&mut self, value: u32, bytes: u8) -> Value {
        let name = match (self.language, bytes) {
            (Language::Rust, 1) => "u8",
            (Language::Rust, _) => "char",
            (_, 1) => "char",
            (_, 2) => "char16_t",
            _ => "wchar_t",
        };
        encode(
            builtin_or_void(name, self.language),
            Number::Integer(i128::from(value)),
        )
    }

    pub(super) fn text(&mut self, bytes: &[u8]) -> Value {
        let mut bytes = bytes.to_vec();
        let element = if self.language == Language::Rust {
            text_element()
        } else {
            bytes.push(0);
            builtin_or_void("char", self.language)
        };
        Value::computed(element.array(Some(bytes.len() as u64)), bytes)
    }

    /// A truth value of the language: C has only numbers.
    pub(crate) fn boolean(&mut self, truth: bool) -> Value {
        let name = if self.language == Language::C {
            "int"
        } else {
            "bool"
        };
        encode(
            builtin_or_void(name, self.language),
            Number::Integer(i128::from(truth)),
        )
    }

    /// An integer of a C type, or of Rust's type for sizes.
    pub(crate) fn made_integer(&mut self, name: &str, value: i128) -> Value {
        let found = match self.language {
            Language::Rust => builtin_or_void("usize", Language::Rust),
            language => builtin_or_void(name, language),
        };
        encode(found, Number::Integer(value))
    }
}

/// The type that C gives to an integer literal.
pub(crate) fn c_integer(
    value: u128,
    unsigned: bool,
    long: bool,
    decimal: bool,
) -> Option<&'static str> {
    let fits = |bits: u32| value >> (bits - 1) >> 1 == 0;
    let may_be_unsigned = unsigned || !decimal;
    if !long && !unsigned && fits(31) {
        Some("int")
    } else if !long && may_be_unsigned && fits(32) {
        Some("unsigned int")
    } else if !unsigned && fits(63) {
        Some("long")
    } else if fits(64) {
        Some("unsigned long")
    } else if fits(127) {
        Some("__int128")
    } else {
        Some("__int128 unsigned")
    }
}
