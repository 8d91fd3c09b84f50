//! DWARF expressions, evaluated without any file.

use gimli::{Encoding, Expression, Format};
use wayfarer_symbols::Reader;
use wayfarer_symbols::location::{
    Absence, Memory, NoMemory, Piece, Place, Surroundings, Unreadable, evaluate,
};
use wayfarer_symbols::registers::{Register, Registers};

const ENCODING: Encoding = Encoding {
    address_size: 8,
    format: Format::Dwarf32,
    version: 5,
};

/// Memory in which the word at an address is that address.
struct Echo;

impl Memory for Echo {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let bytes = address.to_le_bytes();
        for (target, byte) in buffer.iter_mut().zip(bytes) {
            *target = byte;
        }
        Ok(())
    }
}

struct Frame {
    registers: Registers,
    memory: Box<dyn Memory>,
}

impl Surroundings<Reader<'_>> for Frame {
    fn memory(&self) -> &dyn Memory {
        &*self.memory
    }

    fn register(&self, register: Register) -> Result<u128, Absence> {
        self.registers
            .get_wide(register)
            .ok_or(Absence::NotSaved(register))
    }

    fn frame_base(&self) -> Result<u64, Absence> {
        Ok(0x7000)
    }

    fn canonical_frame_address(&self) -> Result<u64, Absence> {
        Ok(0x8000)
    }

    fn relocate(&self, address: u64) -> u64 {
        address.wrapping_add(0x10_0000)
    }

    fn thread_local(&self, offset: u64) -> Result<u64, Absence> {
        Ok(offset.wrapping_add(0x9000))
    }
}

fn place(bytes: &[u8]) -> Place {
    let mut registers = Registers::unknown();
    registers.set(Register::RBX, 0x40);
    let frame = Frame {
        registers,
        memory: Box::new(Echo),
    };
    let expression = Expression(Reader::new(bytes, gimli::LittleEndian));
    evaluate(expression, ENCODING, None, &frame).into()
}

#[test]
fn the_common_forms() {
    // DW_OP_fbreg -16
    assert_eq!(place(&[0x91, 0x70]), Place::Memory(0x6ff0));
    // DW_OP_call_frame_cfa
    assert_eq!(place(&[0x9c]), Place::Memory(0x8000));
    // DW_OP_reg3
    assert_eq!(place(&[0x53]), Place::Register(Register::RBX));
    // DW_OP_breg3 +8
    assert_eq!(place(&[0x73, 8]), Place::Memory(0x48));
    // DW_OP_breg3 +8, DW_OP_deref
    assert_eq!(place(&[0x73, 8, 0x06]), Place::Memory(0x48));
    // DW_OP_addr 0x1234
    assert_eq!(
        place(&[0x03, 0x34, 0x12, 0, 0, 0, 0, 0, 0]),
        Place::Memory(0x10_1234)
    );
    // DW_OP_const1u 5, DW_OP_form_tls_address
    assert_eq!(place(&[0x08, 5, 0x9b]), Place::Memory(0x9005));
    // DW_OP_lit7, DW_OP_stack_value
    assert_eq!(
        place(&[0x37, 0x9f]),
        Place::Value(7u64.to_le_bytes().to_vec())
    );
    // DW_OP_implicit_value 2 bytes
    assert_eq!(
        place(&[0x9e, 2, 0xaa, 0xbb]),
        Place::Value(vec![0xaa, 0xbb])
    );
    // Nothing at all
    assert_eq!(place(&[]), Place::Absent(Absence::OptimisedOut));
    // DW_OP_reg0, which was not saved
    assert_eq!(
        place(&[0x50]),
        Place::Absent(Absence::NotSaved(Register::RAX))
    );
}

#[test]
fn pieces_some_of_which_are_gone() {
    // DW_OP_reg3, DW_OP_piece 4, DW_OP_piece 4
    let expected = Place::Pieces(vec![
        Piece {
            place: Place::Register(Register::RBX),
            size_in_bits: 32,
            bit_offset: 0,
        },
        Piece {
            place: Place::Absent(Absence::OptimisedOut),
            size_in_bits: 32,
            bit_offset: 0,
        },
    ]);
    assert_eq!(place(&[0x53, 0x93, 4, 0x93, 4]), expected);
}

#[test]
fn an_endless_loop_ends() {
    // DW_OP_skip -3
    let Place::Absent(Absence::Damaged(error)) = place(&[0x2f, 0xfd, 0xff]) else {
        panic!("an endless loop has no place");
    };
    assert_eq!(error, gimli::Error::TooManyIterations);
}

#[test]
fn arbitrary_bytes_do_no_harm() {
    let mut state = 0x1234_5678_9abc_def1u64;
    let frame = Frame {
        registers: Registers::unknown(),
        memory: Box::new(NoMemory),
    };
    for _ in 0..20_000 {
        let mut bytes = [0; 12];
        for byte in &mut bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *byte = state as u8;
        }
        let expression = Expression(Reader::new(&bytes, gimli::LittleEndian));
        let _ = Place::from(evaluate(expression, ENCODING, Some(1), &frame));
    }
}
