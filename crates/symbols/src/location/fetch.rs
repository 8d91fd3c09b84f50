//! From a place to bytes. Bits that are nowhere are reported, not invented.

use std::ops::Range;

use super::{Absence, Memory, Place};
use crate::registers::Registers;

/// The bytes of a value and which of its bits are missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fetched {
    /// As many bytes as were asked for; missing bits are zero.
    pub bytes: Vec<u8>,
    /// The bits that are missing, as ranges of bit numbers, lowest first, each with its reason.
    pub missing: Vec<(Range<u64>, Absence)>,
}

impl Fetched {
    /// Why these bits (numbers within the value) are not all there, if they are not.
    pub fn absence_of(&self, bits: Range<u64>) -> Option<&Absence> {
        self.missing
            .iter()
            .find(|(missing, _)| missing.start < bits.end && bits.start < missing.end)
            .map(|(_, absence)| absence)
    }
}

/// Reads `size` bytes of the value at `place`. Fails only when nothing of the value is there; a
/// value with holes comes back with its holes named.
pub fn fetch(
    place: &Place,
    size: usize,
    registers: &Registers,
    memory: &dyn Memory,
) -> Result<Fetched, Absence> {
    // A value without bytes is always there.
    if size == 0 {
        return Ok(Fetched::default());
    }
    match place {
        Place::Pieces(pieces) => {
            let mut fetched = Fetched {
                bytes: vec![0; size],
                missing: Vec::new(),
            };
            let whole = size as u64 * 8;
            let mut at = 0;
            let mut is_any_there = false;
            for piece in pieces {
                if at >= whole {
                    break;
                }
                let length = piece.size_in_bits.min(whole - at);
                match piece_bits(&piece.place, piece.bit_offset, length, registers, memory) {
                    Ok(bits) => {
                        is_any_there |= length > 0;
                        copy_bits(&mut fetched.bytes, at, &bits, piece.bit_offset % 8, length)
                    }
                    Err(absence) => fetched.missing.push((at..at + length, absence)),
                }
                at += length;
            }
            if at < whole {
                fetched.missing.push((at..whole, Absence::OptimisedOut));
            }
            // A value of which nothing is left has one reason, or each of its parts has its own.
            match &fetched.missing[..] {
                [(_, first), rest @ ..]
                    if !is_any_there && rest.iter().all(|(_, reason)| reason == first) =>
                {
                    Err(first.clone())
                }
                _ => Ok(fetched),
            }
        }
        simple => Ok(Fetched {
            bytes: simple_bytes(simple, 0, size, registers, memory)?,
            missing: Vec::new(),
        }),
    }
}

/// The bytes of the place that hold `length` bits from `bit_offset` on; the first wanted bit is
/// bit `bit_offset % 8` of the first byte.
fn piece_bits(
    place: &Place,
    bit_offset: u64,
    length: u64,
    registers: &Registers,
    memory: &dyn Memory,
) -> Result<Vec<u8>, Absence> {
    let first = (bit_offset / 8) as usize;
    let count = (bit_offset % 8 + length).div_ceil(8) as usize;
    simple_bytes(place, first, count, registers, memory)
}

fn simple_bytes(
    place: &Place,
    first: usize,
    count: usize,
    registers: &Registers,
    memory: &dyn Memory,
) -> Result<Vec<u8>, Absence> {
    match place {
        Place::Memory(address) => {
            let mut bytes = vec![0; count];
            memory.read(address.wrapping_add(first as u64), &mut bytes)?;
            Ok(bytes)
        }
        Place::Register(register) => {
            let bytes = registers
                .bytes(*register)
                .ok_or(Absence::NotSaved(*register))?;
            if first + count > 16 {
                return Err(Absence::Unsupported("value larger than its register"));
            }
            Ok(padded(&bytes, first, count))
        }
        Place::Value(bytes) => Ok(padded(bytes, first, count)),
        Place::ImplicitPointer { .. } => Err(Absence::Unsupported(
            "pointer to a value that has no address",
        )),
        Place::Pieces(_) => Err(Absence::Unsupported("pieces within a piece")),
        Place::Absent(absence) => Err(absence.clone()),
    }
}

fn padded(bytes: &[u8], first: usize, count: usize) -> Vec<u8> {
    let mut result: Vec<u8> = bytes.iter().skip(first).take(count).copied().collect();
    result.resize(count, 0);
    result
}

/// Copies `length` bits that start at bit `from_bit` of `from` to bit `to_bit` of `to`.
fn copy_bits(to: &mut [u8], to_bit: u64, from: &[u8], from_bit: u64, length: u64) {
    if to_bit.is_multiple_of(8) && from_bit.is_multiple_of(8) && length.is_multiple_of(8) {
        let (start, count) = ((to_bit / 8) as usize, (length / 8) as usize);
        let first = (from_bit / 8) as usize;
        to[start..start + count].copy_from_slice(&from[first..first + count]);
        return;
    }
    for index in 0..length {
        let source = from_bit + index;
        let target = to_bit + index;
        if from[(source / 8) as usize] >> (source % 8) & 1 == 1 {
            to[(target / 8) as usize] |= 1 << (target % 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NoMemory, Piece};
    use super::*;
    use crate::registers::Register;

    fn piece(place: Place, size_in_bits: u64, bit_offset: u64) -> Piece {
        Piece {
            place,
            size_in_bits,
            bit_offset,
        }
    }

    #[test]
    fn pieces_are_joined_and_holes_are_named() {
        let mut registers = Registers::unknown();
        registers.set(Register::RAX, 0x1122_3344_5566_7788);
        let place = Place::Pieces(vec![
            piece(Place::Register(Register::RAX), 32, 16),
            piece(Place::Absent(Absence::OptimisedOut), 32, 0),
            piece(Place::Value(vec![0xff]), 4, 0),
            piece(Place::Value(vec![0xa0]), 4, 4),
        ]);
        let fetched = fetch(&place, 9, &registers, &NoMemory).unwrap();
        assert_eq!(fetched.bytes, [0x66, 0x55, 0x44, 0x33, 0, 0, 0, 0, 0xaf]);
        assert_eq!(fetched.missing, [(32..64, Absence::OptimisedOut)]);
        assert_eq!(fetched.absence_of(0..32), None);
        assert_eq!(fetched.absence_of(24..40), Some(&Absence::OptimisedOut));
    }

    #[test]
    fn what_no_piece_describes_is_missing_and_the_rest_is_there() {
        let registers = Registers::unknown();
        let place = Place::Pieces(vec![piece(Place::Value(vec![7]), 8, 0)]);
        let fetched = fetch(&place, 4, &registers, &NoMemory).unwrap();
        assert_eq!(fetched.bytes, [7, 0, 0, 0]);
        assert_eq!(fetched.missing, [(8..32, Absence::OptimisedOut)]);
    }

    #[test]
    fn a_value_of_which_nothing_is_left_is_absent() {
        let registers = Registers::unknown();
        let place = Place::Pieces(vec![
            piece(Place::Register(Register::RBX), 32, 0),
            piece(Place::Absent(Absence::OptimisedOut), 32, 0),
        ]);
        let fetched = fetch(&place, 8, &registers, &NoMemory).unwrap();
        let lost = Absence::NotSaved(Register::RBX);
        assert_eq!(
            fetched.missing,
            [(0..32, lost.clone()), (32..64, Absence::OptimisedOut)]
        );
        let place = Place::Pieces(vec![
            piece(Place::Register(Register::RBX), 32, 0),
            piece(Place::Register(Register::RBX), 32, 32),
        ]);
        assert_eq!(fetch(&place, 8, &registers, &NoMemory), Err(lost));
        assert_eq!(
            fetch(&Place::Memory(16), 4, &registers, &NoMemory),
            Err(Absence::Unreadable(super::super::Unreadable {
                address: 16
            }))
        );
    }

    #[test]
    fn an_absurd_piece_does_no_harm() {
        let place = Place::Pieces(vec![piece(Place::Value(vec![1]), u64::MAX, u64::MAX - 7)]);
        let registers = Registers::unknown();
        assert!(fetch(&place, 4, &registers, &NoMemory).is_ok());
    }
}
