//! Floating-point numbers as C's `%g` prints them, with as many digits as the type holds.

use crate::number::Extended;

/// A float of these bytes: `f32`, `f64` or the x87 format of ten bytes.
pub(crate) fn float_text(bytes: &[u8]) -> String {
    match bytes.len() {
        4 => {
            let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let value = f32::from_bits(bits);
            if value.is_nan() {
                return not_a_number(bits >> 31 == 1, u64::from(bits & 0x007f_ffff));
            }
            special(f64::from(value)).unwrap_or_else(|| general(&format!("{value:.8e}"), 9))
        }
        8 => {
            let bits = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            let value = f64::from_bits(bits);
            if value.is_nan() {
                return not_a_number(bits >> 63 == 1, bits << 12 >> 12);
            }
            special(value).unwrap_or_else(|| general(&format!("{value:.16e}"), 17))
        }
        _ => match crate::number::decode_extended(bytes) {
            Some(extended) => extended_text(extended),
            None => "<invalid float value>".to_string(),
        },
    }
}

fn not_a_number(negative: bool, payload: u64) -> String {
    let sign = if negative { "-" } else { "" };
    format!("{sign}nan({payload:#x})")
}

fn special(value: f64) -> Option<String> {
    if value.is_infinite() {
        return Some(if value < 0.0 { "-inf" } else { "inf" }.to_string());
    }
    if value == 0.0 {
        return Some(if value.is_sign_negative() { "-0" } else { "0" }.to_string());
    }
    None
}

/// `%g` from a number in scientific notation with all its digits.
fn general(scientific: &str, precision: i32) -> String {
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific.to_string();
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|digit| *digit != '.').collect();
    if exponent < -4 || exponent >= precision {
        let (first, rest) = digits.split_at(1);
        let rest = rest.trim_end_matches('0');
        let point = if rest.is_empty() { "" } else { "." };
        let mark = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}e{mark}{:02}", exponent.abs());
    }
    let text = if exponent < 0 {
        format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize))
    } else {
        let whole = exponent as usize + 1;
        format!("{}.{}", &digits[..whole], &digits[whole..])
    };
    format!("{sign}{}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The significant digits that gdb prints of an x87 number.
const EXTENDED_DIGITS: usize = 21;

fn extended_text(number: Extended) -> String {
    let sign = if number.negative { "-" } else { "" };
    if number.exponent == 0x7fff {
        let payload = number.mantissa << 1 >> 1;
        return if payload == 0 {
            format!("{sign}inf")
        } else {
            not_a_number(number.negative, payload)
        };
    }
    if number.mantissa == 0 {
        return format!("{sign}0");
    }
    let exponent = i32::from(number.exponent.max(1)) - 16383 - 63;
    let (digits, exponent) = decimal(number.mantissa, exponent, EXTENDED_DIGITS);
    let (first, rest) = digits.split_at(1);
    general(
        &format!("{sign}{first}.{rest}e{exponent}"),
        EXTENDED_DIGITS as i32,
    )
}

/// `mantissa * 2^exponent` rounded to some decimal digits, exactly: the digits and the power of ten
/// of the first.
fn decimal(mantissa: u64, exponent: i32, count: usize) -> (String, i32) {
    // Base 10^9, least significant first. A negative power of two is 5^n / 10^n.
    let mut number = vec![(mantissa % 1_000_000_000) as u32];
    let mut rest = mantissa / 1_000_000_000;
    while rest > 0 {
        number.push((rest % 1_000_000_000) as u32);
        rest /= 1_000_000_000;
    }
    let factor = if exponent >= 0 { 2 } else { 5 };
    for _ in 0..exponent.unsigned_abs() {
        let mut carry = 0u64;
        for limb in &mut number {
            let product = u64::from(*limb) * factor + carry;
            *limb = (product % 1_000_000_000) as u32;
            carry = product / 1_000_000_000;
        }
        if carry > 0 {
            number.push(carry as u32);
        }
    }
    let mut digits = String::new();
    for limb in number.iter().rev() {
        digits.push_str(&format!("{limb:09}"));
    }
    let digits = digits.trim_start_matches('0');
    let mut power = digits.len() as i32 - 1 + exponent.min(0);
    let mut kept: Vec<u8> = digits.bytes().take(count).collect();
    kept.resize(count, b'0');
    let dropped = digits.get(count..).unwrap_or_default().as_bytes();
    let half = dropped.first().is_some_and(|digit| *digit >= b'5');
    let exactly_half =
        dropped.first() == Some(&b'5') && dropped[1..].iter().all(|digit| *digit == b'0');
    let odd = kept.last().is_some_and(|digit| digit % 2 == 1);
    if half && (!exactly_half || odd) {
        let mut at = count;
        loop {
            if at == 0 {
                kept.insert(0, b'1');
                kept.pop();
                power += 1;
                break;
            }
            at -= 1;
            if kept[at] == b'9' {
                kept[at] = b'0';
            } else {
                kept[at] += 1;
                break;
            }
        }
    }
    (String::from_utf8(kept).unwrap_or_default(), power)
}
