//! `$rip`, `$eax`, `$sp` …: registers as values.

use std::sync::Arc;

use wayfarer_expression::{Language, MadeType, TypeRef, Value};
use wayfarer_symbols::location::Place;
use wayfarer_symbols::registers::{Register, Registers};
use wayfarer_symbols::types::Encoding;

/// A register of a frame by gdb's name for it or for its lower part.
pub(crate) fn register_value(registers: &Registers, name: &str) -> Option<Value> {
    if let Some(register) = Register::by_name(name) {
        let known = registers.get_wide(register).is_some();
        let type_ref = register_type(register);
        if !known {
            let absence = wayfarer_symbols::location::Absence::NotSaved(register);
            return Some(Value::absent(type_ref, absence));
        }
        return Some(Value::at(type_ref, Place::Register(register)));
    }
    let (register, size, shift) = part(name)?;
    let bits = registers.get(register)? >> shift;
    let integer = match size {
        4 => "int",
        2 => "int16_t",
        _ => "int8_t",
    };
    let type_ref = TypeRef::base(integer, Encoding::Signed, size as u64, Language::C);
    Some(Value::computed(
        type_ref,
        bits.to_le_bytes()[..size].to_vec(),
    ))
}

/// The type gdb gives a register.
pub(crate) fn register_type(register: Register) -> TypeRef {
    let base = |name: &str, encoding: Encoding, size: u64| {
        TypeRef::base(name, encoding, size, Language::C)
    };
    match register {
        Register::RIP => TypeRef::Made(Arc::new(MadeType::Code)).pointer(),
        Register::RSP | Register::RBP => TypeRef::Void.pointer(),
        Register(17..=32) => base("vec128", Encoding::Unsigned, 16),
        Register(33..=40) => base("long double", Encoding::Float, 10),
        Register::EFLAGS => base("i386_eflags", Encoding::Signed, 4),
        Register(50..=55) => base("int", Encoding::Signed, 4),
        _ => base("long", Encoding::Signed, 8),
    }
}

/// `eax`, `ax`, `al`, `ah`, `r8d`, `r8w`, `r8b`: register, size and shift.
fn part(name: &str) -> Option<(Register, usize, u32)> {
    if let Some(number) = name.strip_prefix('r') {
        let (digits, size) = match number.chars().last()? {
            'd' => (&number[..number.len() - 1], 4),
            'w' => (&number[..number.len() - 1], 2),
            'b' | 'l' => (&number[..number.len() - 1], 1),
            _ => return None,
        };
        let number: u16 = digits
            .parse()
            .ok()
            .filter(|number| (8..=15).contains(number))?;
        return Some((Register(number), size, 0));
    }
    if let Some(rest) = name.strip_prefix('e') {
        return Some((Register::by_name(&format!("r{rest}"))?, 4, 0));
    }
    let word = |name: &str| Register::by_name(&format!("r{name}"));
    match name {
        "ax" | "bx" | "cx" | "dx" | "si" | "di" | "bp" => Some((word(name)?, 2, 0)),
        "al" | "bl" | "cl" | "dl" => Some((word(&format!("{}x", &name[..1]))?, 1, 0)),
        "ah" | "bh" | "ch" | "dh" => Some((word(&format!("{}x", &name[..1]))?, 1, 8)),
        "sil" | "dil" | "bpl" | "spl" => Some((word(&name[..2])?, 1, 0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_registers() {
        let mut registers = Registers::unknown();
        registers.set(Register::RAX, 0x1122_3344_5566_7788);
        registers.set(Register::R9, 0xffff_ffff_0000_0001);
        let bytes = |name: &str| match register_value(&registers, name).expect("known").place {
            Place::Value(bytes) => bytes,
            other => panic!("{other:?}"),
        };
        assert_eq!(bytes("eax"), [0x88, 0x77, 0x66, 0x55]);
        assert_eq!(bytes("ah"), [0x77]);
        assert_eq!(bytes("r9d"), [1, 0, 0, 0]);
        assert!(register_value(&registers, "no").is_none());
        let whole = register_value(&registers, "rax").expect("known");
        assert_eq!(whole.place, Place::Register(Register::RAX));
    }
}
