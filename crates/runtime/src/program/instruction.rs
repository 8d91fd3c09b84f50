//! How long the instructions of a program are: enough of the processor's encoding to go from one to the next.

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Where its opcode begins, after its prefixes.
    pub opcode: usize,
    pub length: usize,
}

/// What follows an opcode.
#[derive(Clone, Copy)]
struct Tail {
    /// A byte that names registers or memory, and what that asks for.
    operands: bool,
    /// Bytes of a constant at the end.
    constant: usize,
}

const fn plain(constant: usize) -> Tail {
    Tail {
        operands: false,
        constant,
    }
}

const fn operands(constant: usize) -> Tail {
    Tail {
        operands: true,
        constant,
    }
}

/// What the prefixes say.
#[derive(Clone, Copy, Default)]
struct Prefixes {
    short_operand: bool,
    short_address: bool,
    wide: bool,
}

impl Prefixes {
    /// Bytes of a constant of the operands' size.
    fn constant(self) -> usize {
        if self.short_operand && !self.wide {
            2
        } else {
            4
        }
    }
}

/// The instruction at the start of `code`; `None` if there is none, or not the whole of it.
pub fn at(code: &[u8]) -> Option<Instruction> {
    let mut prefixes = Prefixes::default();
    let mut position = 0;
    loop {
        match code.get(position)? {
            0x66 => prefixes.short_operand = true,
            0x67 => prefixes.short_address = true,
            0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64 | 0x65 | 0xf0 | 0xf2 | 0xf3 => {}
            _ => break,
        }
        position += 1;
    }
    // Counts only right before the opcode.
    prefixes.wide = position > 0 && code.get(position - 1)? & 0xf8 == 0x48;
    let opcode = position;
    let first = *code.get(position)?;
    let second = code.get(position + 1).copied().unwrap_or(0);
    let third = code.get(position + 2).copied().unwrap_or(0);
    // Where the last byte of the opcode is, and what follows it.
    let (last, tail) = match first {
        0x0f => match second {
            0x38 => (position + 2, operands(0)),
            0x3a => (position + 2, operands(1)),
            _ => (position + 1, of_two_bytes(second)?),
        },
        0xc5 => (position + 2, of_map(1, third)),
        0xc4 => {
            let last = position + 3;
            (last, of_map(second & 0x1f, *code.get(last)?))
        }
        0x62 => {
            let last = position + 4;
            (last, of_map(second & 7, *code.get(last)?))
        }
        0x8f if second & 0x1f >= 8 => {
            let constant = match second & 0x1f {
                8 => 1,
                10 => 4,
                _ => 0,
            };
            (position + 3, operands(constant))
        }
        _ => (position, of_one_byte(first, prefixes, second)?),
    };
    let mut length = last + 1;
    if tail.operands {
        length += operand_bytes(code.get(length..)?)?;
    }
    length += tail.constant;
    (length <= code.len()).then_some(Instruction { opcode, length })
}

/// The byte that names operands, and what it asks for after it.
fn operand_bytes(code: &[u8]) -> Option<usize> {
    let first = *code.first()?;
    let (mode, memory) = (first >> 6, first & 7);
    if mode == 3 {
        return Some(1);
    }
    let has_second = memory == 4;
    let base = if has_second {
        *code.get(1)? & 7
    } else {
        memory
    };
    let distance = match mode {
        0 if base == 5 => 4,
        0 => 0,
        1 => 1,
        _ => 4,
    };
    Some(1 + usize::from(has_second) + distance)
}

fn of_one_byte(opcode: u8, prefixes: Prefixes, next: u8) -> Option<Tail> {
    let constant = prefixes.constant();
    Some(match opcode {
        0x00..=0x3f => match opcode & 7 {
            0..=3 => operands(0),
            4 => plain(1),
            5 => plain(constant),
            _ => return None,
        },
        0x63 => operands(0),
        0x68 => plain(constant),
        0x69 => operands(constant),
        0x6a => plain(1),
        0x6b => operands(1),
        0x70..=0x7f => plain(1),
        0x80 | 0x83 => operands(1),
        0x81 => operands(constant),
        0x84..=0x8f => operands(0),
        0xa0..=0xa3 => plain(if prefixes.short_address { 4 } else { 8 }),
        0xa8 => plain(1),
        0xa9 => plain(constant),
        0xb0..=0xb7 => plain(1),
        0xb8..=0xbf => plain(if prefixes.wide { 8 } else { constant }),
        0xc0 | 0xc1 => operands(1),
        0xc2 | 0xca => plain(2),
        0xc6 => operands(1),
        0xc7 => operands(constant),
        0xc8 => plain(3),
        0xcd => plain(1),
        0xd0..=0xd3 | 0xd8..=0xdf => operands(0),
        0xe0..=0xe7 | 0xeb => plain(1),
        0xe8 | 0xe9 => plain(4),
        0xf6 => operands(usize::from(next >> 3 & 7 < 2)),
        0xf7 => operands(if next >> 3 & 7 < 2 { constant } else { 0 }),
        0xfe | 0xff => operands(0),
        0x60..=0x62 | 0x82 | 0x9a | 0xc4 | 0xc5 | 0xce | 0xd4..=0xd6 | 0xea => return None,
        _ => plain(0),
    })
}

fn of_two_bytes(opcode: u8) -> Option<Tail> {
    Some(match opcode {
        0x05..=0x09 | 0x0b | 0x0e | 0x30..=0x35 | 0x37 | 0x77 => plain(0),
        0xa0..=0xa2 | 0xa8..=0xaa | 0xc8..=0xcf => plain(0),
        0x80..=0x8f => plain(4),
        0x0f | 0x70..=0x73 | 0xa4 | 0xac | 0xba | 0xc2 | 0xc4..=0xc6 => operands(1),
        0x04 | 0x0a | 0x0c | 0x24..=0x27 | 0x36 | 0x39 | 0x3b..=0x3f => return None,
        _ => operands(0),
    })
}

/// Of the newer encodings: which table of opcodes.
fn of_map(map: u8, opcode: u8) -> Tail {
    match (map, opcode) {
        (1, 0x77) => plain(0),
        (1, 0x70..=0x73 | 0xc2 | 0xc4..=0xc6) | (3, _) => operands(1),
        _ => operands(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Code, Decoder, DecoderOptions};

    /// The executable parts of this very process: its own code, libc's and the loader's.
    fn code_of_this_process() -> Vec<(usize, usize)> {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
        let is_code = |line: &&str| line.contains(" r-xp ") && line.contains('/');
        let range = |line: &str| {
            let (from, to) = line.split(' ').next()?.split_once('-')?;
            let number = |text| usize::from_str_radix(text, 16).ok();
            Some((number(from)?, number(to)? - number(from)?))
        };
        maps.lines().filter(is_code).filter_map(range).collect()
    }

    #[test]
    fn lengths_are_those_that_a_full_decoder_finds() {
        let (mut compared, mut different) = (0u32, Vec::new());
        for (address, length) in code_of_this_process() {
            // SAFETY: mapped code, which stays.
            let code = unsafe { std::slice::from_raw_parts(address as *const u8, length) };
            let options = DecoderOptions::NONE;
            let mut decoder = Decoder::with_ip(64, code, address as u64, options);
            while decoder.can_decode() {
                let start = decoder.position();
                let expected = decoder.decode();
                if expected.code() == Code::INVALID {
                    continue;
                }
                compared += 1;
                let found = at(&code[start..(start + 16).min(length)]);
                if found.map(|found| found.length) != Some(expected.len()) {
                    different.push(format!(
                        "{expected:?} {:x?} {found:?}",
                        &code[start..start + expected.len()]
                    ));
                }
            }
        }
        assert!(compared > 100_000, "{compared}");
        assert!(
            different.is_empty(),
            "{} of {compared}: {:#?}",
            different.len(),
            &different[..different.len().min(20)]
        );
    }
}
