//! The place of a value, as a DWARF location description gives it.

use super::Absence;
use crate::DieId;
use crate::registers::Register;

/// Where a value is, or what it is when it is nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the debuggee's memory, at a process address.
    Memory(u64),
    /// In a register of the frame.
    Register(Register),
    /// Nowhere, but its value is known: the bytes, least significant first.
    Value(Vec<u8>),
    /// A pointer whose target has no address, only a description.
    ImplicitPointer {
        /// The target's entry.
        target: DieId,
        /// Byte offset into the target's value.
        byte_offset: i64,
    },
    /// In several places, lowest bits first.
    Pieces(Vec<Piece>),
    /// Not there, and why.
    Absent(Absence),
}

/// A part of a value that is scattered over several places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Where this part is.
    pub place: Place,
    /// How many bits of the value it holds.
    pub size_in_bits: u64,
    /// Where in its place it starts, counted from the least significant bit.
    pub bit_offset: u64,
}

impl Place {
    /// The address, if the whole value is in memory.
    pub fn address(&self) -> Option<u64> {
        match self {
            Place::Memory(address) => Some(*address),
            _ => None,
        }
    }

    /// Whether a part of the value was in a register that a called function may have overwritten.
    pub fn is_overwritten(&self) -> bool {
        match self {
            Place::Absent(absence) => matches!(absence, Absence::NotSaved(_)),
            Place::Pieces(pieces) => pieces.iter().any(|piece| piece.place.is_overwritten()),
            _ => false,
        }
    }

    /// Whether the value, as far as there is one, is in registers that calls must hand back.
    pub fn is_kept(&self) -> bool {
        match self {
            Place::Register(register) => register.is_callee_saved(),
            Place::Pieces(pieces) => {
                !self.is_absent()
                    && pieces.iter().all(|piece| {
                        piece.place.is_kept() || piece.place == Place::Absent(Absence::OptimisedOut)
                    })
            }
            _ => false,
        }
    }

    /// Whether no part of the value can be found.
    pub fn is_absent(&self) -> bool {
        match self {
            Place::Absent(_) => true,
            Place::Pieces(pieces) => pieces.iter().all(|piece| piece.place.is_absent()),
            _ => false,
        }
    }
}

impl From<Result<Place, Absence>> for Place {
    fn from(result: Result<Place, Absence>) -> Place {
        result.unwrap_or_else(Place::Absent)
    }
}
