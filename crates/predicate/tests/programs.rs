//! Programs as a whole: assembled, verified, encoded, evaluated.

use std::collections::HashMap;

use wayfarer_predicate::{
    Assembler, Binary, DecodeError, Fault, Instruction, Program, Target, Unary, VerifyError, Width,
    evaluate, holds,
};

#[derive(Default)]
struct Thread {
    registers: HashMap<u16, u64>,
    memory: Vec<u8>,
}

const BASE: u64 = 0x1000;

impl Target for Thread {
    fn register(&mut self, number: u16) -> Option<u64> {
        self.registers.get(&number).copied()
    }

    fn read(&mut self, address: u64, buffer: &mut [u8]) -> bool {
        let Some(start) = address.checked_sub(BASE).map(|start| start as usize) else {
            return false;
        };
        match self.memory.get(start..start.saturating_add(buffer.len())) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }
}

fn run(instructions: &[Instruction], thread: &mut Thread) -> Result<u64, Fault> {
    let program = Program::new(instructions.to_vec()).expect("a valid program");
    let copy = Program::from_bytes(&program.to_bytes()).expect("its own bytes");
    assert_eq!(copy, program);
    evaluate(&program, thread)
}

#[test]
fn every_instruction_survives_its_encoding() {
    let widths = [
        Width::U8,
        Width::U16,
        Width::U32,
        Width::U64,
        Width::I8,
        Width::I16,
        Width::I32,
        Width::F32,
        Width::F64,
    ];
    let mut seen = std::collections::HashSet::new();
    for width in widths {
        for instruction in [
            Instruction::Load(width),
            Instruction::Unary(Unary::Extend(width)),
        ] {
            let program = Program::new(vec![Instruction::Constant(7), instruction]).expect("valid");
            assert!(seen.insert(program.to_bytes()));
            assert_eq!(Program::from_bytes(&program.to_bytes()), Ok(program));
        }
    }
    for byte in 0..=u8::MAX {
        let mut bytes = vec![1];
        for _ in 0..3 {
            bytes.push(1);
            bytes.extend([0; 8]);
        }
        bytes.push(byte);
        bytes.extend([0x04; 2]);
        if let Ok(program) = Program::from_bytes(&bytes) {
            assert_eq!(program.to_bytes(), bytes);
        }
    }
}

#[test]
fn loads_extend_as_their_width_says() {
    let mut thread = Thread {
        memory: vec![0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        ..Thread::default()
    };
    let load = |width, thread: &mut Thread| {
        run(
            &[Instruction::Constant(BASE), Instruction::Load(width)],
            thread,
        )
        .expect("readable")
    };
    assert_eq!(load(Width::U8, &mut thread), 0xfe);
    assert_eq!(load(Width::I8, &mut thread) as i64, -2);
    assert_eq!(load(Width::U16, &mut thread), 0xfffe);
    assert_eq!(load(Width::I32, &mut thread) as i64, -2);
    assert_eq!(load(Width::U64, &mut thread), 0x7fff_ffff_ffff_fffe);
    thread.memory = 1.5f32.to_le_bytes().to_vec();
    assert_eq!(f64::from_bits(load(Width::F32, &mut thread)), 1.5);
    let beyond = run(
        &[
            Instruction::Constant(BASE + 1),
            Instruction::Load(Width::U32),
        ],
        &mut thread,
    );
    assert_eq!(beyond, Err(Fault::Memory { address: BASE + 1 }));
}

#[test]
fn logic_jumps_over_what_it_must_not_evaluate() {
    // rdi != 0 && *(u32 *)rdi == 5
    let mut assembler = Assembler::new();
    let (fails, end) = (assembler.label(), assembler.label());
    assembler.push(Instruction::Register(5));
    assembler.jump_if_zero(fails);
    assembler
        .push(Instruction::Register(5))
        .push(Instruction::Load(Width::U32))
        .constant(5)
        .binary(Binary::Equal);
    assembler.jump(end);
    assembler.bind(fails);
    assembler.constant(0);
    assembler.bind(end);
    let program = assembler.finish().expect("valid");

    let mut thread = Thread {
        memory: vec![5, 0, 0, 0],
        ..Thread::default()
    };
    assert_eq!(holds(&program, &mut thread), Err(Fault::Register(5)));
    thread.registers.insert(5, 0);
    assert_eq!(holds(&program, &mut thread), Ok(false));
    thread.registers.insert(5, BASE);
    assert_eq!(holds(&program, &mut thread), Ok(true));
}

#[test]
fn arithmetic_agrees_with_wide_integers() {
    let words = [
        0u64,
        1,
        2,
        63,
        64,
        0x7fff_ffff_ffff_ffff,
        1 << 63,
        u64::MAX,
        12345,
    ];
    let mut thread = Thread::default();
    for left in words {
        for right in words {
            let mut of = |operation| {
                run(
                    &[
                        Instruction::Constant(left),
                        Instruction::Constant(right),
                        Instruction::Binary(operation),
                    ],
                    &mut thread,
                )
            };
            let (wide_left, wide_right) = (i128::from(left as i64), i128::from(right as i64));
            assert_eq!(of(Binary::Add), Ok((wide_left + wide_right) as u64));
            assert_eq!(of(Binary::Subtract), Ok((wide_left - wide_right) as u64));
            assert_eq!(of(Binary::Multiply), Ok((wide_left * wide_right) as u64));
            assert_eq!(
                of(Binary::LessSigned),
                Ok(u64::from(wide_left < wide_right))
            );
            assert_eq!(of(Binary::LessUnsigned), Ok(u64::from(left < right)));
            let quotient = of(Binary::DivideSigned);
            if right == 0 {
                assert_eq!(quotient, Err(Fault::DivisionByZero));
            } else {
                assert_eq!(quotient, Ok((wide_left / wide_right) as u64));
                assert_eq!(
                    of(Binary::RemainderSigned),
                    Ok((wide_left % wide_right) as u64)
                );
                assert_eq!(
                    Some(of(Binary::DivideUnsigned)),
                    left.checked_div(right).map(Ok)
                );
            }
            let shifted = if right < 64 { left << right } else { 0 };
            assert_eq!(of(Binary::ShiftLeft), Ok(shifted));
        }
    }
}

#[test]
fn the_verifier_refuses_what_could_go_wrong() {
    let refused = |instructions: &[Instruction]| Program::new(instructions.to_vec()).unwrap_err();
    let one = Instruction::Constant(1);
    assert_eq!(refused(&[]), VerifyError::Length(0));
    assert_eq!(
        refused(&[Instruction::Drop]),
        VerifyError::StackTooShort { at: 0 }
    );
    assert_eq!(refused(&[one, one]), VerifyError::Result { depth: 2 });
    assert_eq!(
        refused(&[one, Instruction::JumpIfZero(0)]),
        VerifyError::JumpTarget { at: 1 }
    );
    assert_eq!(
        refused(&[one, Instruction::Jump(9)]),
        VerifyError::JumpTarget { at: 1 }
    );
    assert_eq!(
        refused(&[one, Instruction::Jump(3), one]),
        VerifyError::Unreachable { at: 2 }
    );
    assert_eq!(
        refused(&[one, Instruction::JumpIfZero(3), one]),
        VerifyError::UnevenStack { at: 3 }
    );
    assert_eq!(refused(&[one; 65]), VerifyError::StackTooDeep { at: 64 });
    assert_eq!(refused(&[one; 5000]), VerifyError::Length(5000));
}

#[test]
fn foreign_bytes_are_errors_not_panics() {
    assert_eq!(Program::from_bytes(&[]), Err(DecodeError::Version(None)));
    assert_eq!(
        Program::from_bytes(&[9, 1]),
        Err(DecodeError::Version(Some(9)))
    );
    assert_eq!(Program::from_bytes(&[1, 1]), Err(DecodeError::Truncated));
    assert_eq!(
        Program::from_bytes(&[1, 0xff]),
        Err(DecodeError::Operation { offset: 1 })
    );
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut thread = Thread {
        memory: vec![1; 64],
        ..Thread::default()
    };
    for _ in 0..200_000 {
        let mut bytes = vec![1];
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        for index in 0..state % 24 {
            let byte = (state >> (index % 8 * 8)) as u8 ^ (index as u8);
            bytes.push(if byte & 1 == 0 { byte % 0x80 } else { 2 });
        }
        if let Ok(program) = Program::from_bytes(&bytes) {
            let _ = evaluate(&program, &mut thread);
            assert_eq!(program.to_bytes(), bytes);
        }
    }
}
