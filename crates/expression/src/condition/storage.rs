//! Where a variable is at an address, in terms of registers.
//!
//! Instead of decoding location descriptions once more, they are evaluated with made-up registers:
//! what changes when one register is changed depends on that register.

use wayfarer_symbols::frames::Viewpoint;
use wayfarer_symbols::location::{Memory, NoMemory, Place};
use wayfarer_symbols::registers::{Register, Registers};
use wayfarer_symbols::unwind::{AddressSpace, LoadedModule, Stack};
use wayfarer_symbols::{Variable, VariableKind};

/// Where a value is found without knowing the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In memory, at a distance from what a register holds, or at a fixed address.
    Memory {
        /// The DWARF number of the register.
        register: Option<u16>,
        /// Added to it.
        offset: u64,
    },
    /// In a register with this DWARF number.
    Register(u16),
    /// A constant: its bytes.
    Constant(Vec<u8>),
}

/// The general registers, by DWARF number.
const GENERAL: u16 = 16;

/// The distance by which a register is moved to see what moves with it.
const MOVE: u64 = 0x10_0000;

/// A process of which only the modules are known.
struct Blind<'a>(&'a dyn AddressSpace);

impl AddressSpace for Blind<'_> {
    fn memory(&self) -> &dyn Memory {
        &NoMemory
    }

    fn module_at(&self, address: u64) -> Option<LoadedModule> {
        self.0.module_at(address)
    }

    fn modules(&self) -> Vec<LoadedModule> {
        self.0.modules()
    }
}

/// Where a variable of a module is when a thread is at `pc`; `None` where that depends on more than
/// one register.
pub fn storage_of(
    variable: &Variable,
    loaded: &LoadedModule,
    space: &dyn AddressSpace,
    pc: u64,
) -> Option<Storage> {
    let blind = Blind(space);
    if variable.kind == VariableKind::Global {
        return match Viewpoint::global(&blind, loaded).place_of(variable) {
            Place::Memory(offset) => Some(Storage::Memory {
                register: None,
                offset,
            }),
            Place::Value(bytes) => Some(Storage::Constant(bytes)),
            _ => None,
        };
    }
    let place = |moved: Option<u16>| {
        let mut registers = Registers::unknown();
        for number in 0..GENERAL {
            // Far apart, so that no two sums of a register and an offset meet by chance.
            let base = 0x7000_0000_0000 + u64::from(number) * 0x10_0000_0000;
            let shift = if moved == Some(number) { MOVE } else { 0 };
            registers.set(Register(number), base + shift);
        }
        registers.set(Register::RIP, pc);
        let stack = Stack::walk(&blind, &registers, 1);
        let viewpoint = Viewpoint::frame(&blind, &stack, 0)?;
        Some((viewpoint.place_of(variable), registers))
    };
    let (first, registers) = place(None)?;
    let others: Option<Vec<Place>> = (0..GENERAL)
        .map(|number| place(Some(number)).map(|(place, _)| place))
        .collect();
    let others = others?;
    match first {
        Place::Register(register) => others
            .iter()
            .all(|other| *other == first)
            .then_some(Storage::Register(register.0)),
        Place::Value(ref bytes) => others
            .iter()
            .all(|other| *other == first)
            .then(|| Storage::Constant(bytes.clone())),
        Place::Memory(address) => {
            let mut found = None;
            for (number, other) in others.iter().enumerate() {
                match other.address()?.wrapping_sub(address) {
                    0 => {}
                    MOVE if found.is_none() => found = Some(number as u16),
                    _ => return None,
                }
            }
            let base = match found {
                Some(number) => registers.get(Register(number))?,
                None => 0,
            };
            Some(Storage::Memory {
                register: found,
                offset: address.wrapping_sub(base),
            })
        }
        _ => None,
    }
}
