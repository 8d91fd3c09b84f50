//! The arithmetic flags, computed as the processor does.

use iced_x86::ConditionCode;

const CARRY: u64 = 1;
const PARITY: u64 = 1 << 2;
const ADJUST: u64 = 1 << 4;
const ZERO: u64 = 1 << 6;
const SIGN: u64 = 1 << 7;
const OVERFLOW: u64 = 1 << 11;
const ALL: u64 = CARRY | PARITY | ADJUST | ZERO | SIGN | OVERFLOW;

/// A result with the flags that it leaves.
pub struct Outcome {
    /// The low bytes count.
    pub value: u64,
    /// All of them.
    pub flags: u64,
}

fn mask(size: usize) -> u64 {
    match size {
        8 => u64::MAX,
        size => (1 << (size * 8)) - 1,
    }
}

fn sign_bit(size: usize) -> u64 {
    1 << (size * 8 - 1)
}

/// Zero, sign and parity of a result.
fn of_result(value: u64, size: usize) -> u64 {
    let mut flags = 0;
    if value & mask(size) == 0 {
        flags |= ZERO;
    }
    if value & sign_bit(size) != 0 {
        flags |= SIGN;
    }
    if (value as u8).count_ones().is_multiple_of(2) {
        flags |= PARITY;
    }
    flags
}

/// `left + right`
pub fn add(left: u64, right: u64, size: usize, flags: u64) -> Outcome {
    let (left, right) = (left & mask(size), right & mask(size));
    let value = left.wrapping_add(right) & mask(size);
    let mut new = of_result(value, size);
    if value < left {
        new |= CARRY;
    }
    if (left ^ value) & (right ^ value) & sign_bit(size) != 0 {
        new |= OVERFLOW;
    }
    if (left ^ right ^ value) & 0x10 != 0 {
        new |= ADJUST;
    }
    Outcome {
        value,
        flags: flags & !ALL | new,
    }
}

/// `left - right`
pub fn subtract(left: u64, right: u64, size: usize, flags: u64) -> Outcome {
    let (left, right) = (left & mask(size), right & mask(size));
    let value = left.wrapping_sub(right) & mask(size);
    let mut new = of_result(value, size);
    if left < right {
        new |= CARRY;
    }
    if (left ^ right) & (left ^ value) & sign_bit(size) != 0 {
        new |= OVERFLOW;
    }
    if (left ^ right ^ value) & 0x10 != 0 {
        new |= ADJUST;
    }
    Outcome {
        value,
        flags: flags & !ALL | new,
    }
}

/// The flags after `and`, `or`, `xor`, `test`. The adjust flag is undefined; processors clear it.
pub fn logic(value: u64, size: usize, flags: u64) -> Outcome {
    Outcome {
        value: value & mask(size),
        flags: flags & !ALL | of_result(value, size),
    }
}

/// The outcome of `inc` and `dec`, which leave the carry flag alone.
pub fn keep_carry(outcome: Outcome, flags: u64) -> Outcome {
    Outcome {
        value: outcome.value,
        flags: outcome.flags & !CARRY | flags & CARRY,
    }
}

/// Whether a condition holds.
pub fn holds(condition: ConditionCode, flags: u64) -> Option<bool> {
    let set = |bit| flags & bit != 0;
    let less = set(SIGN) != set(OVERFLOW);
    Some(match condition {
        ConditionCode::o => set(OVERFLOW),
        ConditionCode::no => !set(OVERFLOW),
        ConditionCode::b => set(CARRY),
        ConditionCode::ae => !set(CARRY),
        ConditionCode::e => set(ZERO),
        ConditionCode::ne => !set(ZERO),
        ConditionCode::be => set(CARRY) || set(ZERO),
        ConditionCode::a => !set(CARRY) && !set(ZERO),
        ConditionCode::s => set(SIGN),
        ConditionCode::ns => !set(SIGN),
        ConditionCode::p => set(PARITY),
        ConditionCode::np => !set(PARITY),
        ConditionCode::l => less,
        ConditionCode::ge => !less,
        ConditionCode::le => less || set(ZERO),
        ConditionCode::g => !less && !set(ZERO),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtraction_sets_carry_and_overflow() {
        assert_eq!(subtract(1, 2, 4, 0).flags & (CARRY | OVERFLOW), CARRY);
        assert_eq!(
            subtract(0x8000_0000, 1, 4, 0).flags & (CARRY | OVERFLOW),
            OVERFLOW
        );
        assert_eq!(subtract(5, 5, 8, 0).flags & (ZERO | CARRY), ZERO);
    }

    #[test]
    fn addition_wraps_at_its_size() {
        let outcome = add(0xff, 1, 1, 0);
        assert_eq!(outcome.value, 0);
        assert_eq!(outcome.flags & (CARRY | ZERO), CARRY | ZERO);
        assert_eq!(
            add(0x7f, 1, 1, 0).flags & (OVERFLOW | SIGN),
            OVERFLOW | SIGN
        );
    }

    #[test]
    fn conditions_read_the_flags() {
        let less = subtract(1, 2, 8, 0).flags;
        assert_eq!(holds(ConditionCode::l, less), Some(true));
        assert_eq!(holds(ConditionCode::g, less), Some(false));
        assert_eq!(holds(ConditionCode::None, less), None);
    }
}
