//! Applies one row of call frame information to the registers of a frame.

use gimli::{CfaRule, RegisterRule, UnwindExpression};

use super::space::LoadedModule;
use super::table::Row;
use crate::Reader;
use crate::location::{Absence, Memory, Surroundings, evaluate_to_value};
use crate::registers::{Register, Registers};

/// What one row gives.
pub(super) struct Restored {
    pub cfa: u64,
    /// The caller's registers; rip is unknown when the row says that there is no caller.
    pub registers: Registers,
}

/// Registers and memory, all that a call frame expression may use.
struct Plain<'a> {
    registers: &'a Registers,
    memory: &'a dyn Memory,
    bias: u64,
}

impl Surroundings<Reader<'_>> for Plain<'_> {
    fn memory(&self) -> &dyn Memory {
        self.memory
    }

    fn register(&self, register: Register) -> Result<u128, Absence> {
        self.registers
            .get_wide(register)
            .ok_or(Absence::NotSaved(register))
    }

    fn relocate(&self, address: u64) -> u64 {
        address.wrapping_add(self.bias)
    }
}

/// The canonical frame address alone.
pub(super) fn canonical_frame_address(
    loaded: &LoadedModule,
    row: &Row,
    registers: &Registers,
    memory: &dyn Memory,
) -> Result<u64, Absence> {
    match &row.cfa {
        CfaRule::RegisterAndOffset { register, offset } => {
            let register = Register::from(*register);
            let base = registers.get(register).ok_or(Absence::NotSaved(register))?;
            Ok(base.wrapping_add_signed(*offset))
        }
        CfaRule::Expression(expression) => {
            let plain = Plain {
                registers,
                memory,
                bias: loaded.bias,
            };
            run(loaded, row, expression, None, &plain)
        }
    }
}

/// The frame address and the caller's registers.
pub(super) fn restore(
    loaded: &LoadedModule,
    row: &Row,
    registers: &Registers,
    memory: &dyn Memory,
) -> Result<Restored, Absence> {
    let cfa = canonical_frame_address(loaded, row, registers, memory)?;
    let plain = Plain {
        registers,
        memory,
        bias: loaded.bias,
    };
    let mut caller = registers.clone();
    if !row.is_signal_frame {
        caller.assume_call();
    }
    // By the convention of the ABI; a rule may say otherwise.
    caller.set(Register::RSP, cfa);
    caller.forget(Register::RIP);
    for (register, rule) in &row.rules {
        let register = if *register == row.return_address {
            Register::RIP
        } else {
            *register
        };
        let value = match rule {
            RegisterRule::Undefined => None,
            RegisterRule::SameValue | RegisterRule::Architectural => {
                match registers.get_wide(register) {
                    Some(value) => {
                        caller.set_wide(register, value);
                        continue;
                    }
                    None => None,
                }
            }
            RegisterRule::Offset(offset) => Some(saved(memory, cfa.wrapping_add_signed(*offset))?),
            RegisterRule::ValOffset(offset) => Some(cfa.wrapping_add_signed(*offset)),
            RegisterRule::Register(other) => registers.get(Register::from(*other)),
            RegisterRule::Expression(expression) => {
                let address = run(loaded, row, expression, Some(cfa), &plain)?;
                Some(saved(memory, address)?)
            }
            RegisterRule::ValExpression(expression) => {
                Some(run(loaded, row, expression, Some(cfa), &plain)?)
            }
            RegisterRule::Constant(value) => Some(*value),
        };
        match value {
            Some(value) => caller.set(register, value),
            None => caller.forget(register),
        }
    }
    Ok(Restored {
        cfa,
        registers: caller,
    })
}

impl Row {
    /// Where a frame with this frame address keeps its caller's registers, in memory, the return address last.
    pub fn saved_places(&self, cfa: u64) -> Vec<(Register, u64)> {
        let mut places: Vec<(Register, u64)> = self
            .rules
            .iter()
            .filter_map(|(register, rule)| match rule {
                RegisterRule::Offset(offset) => {
                    let register = match *register == self.return_address {
                        true => Register::RIP,
                        false => *register,
                    };
                    Some((register, cfa.wrapping_add_signed(*offset)))
                }
                _ => None,
            })
            .collect();
        places.sort_by_key(|(register, _)| gdb_order(*register));
        places
    }
}

/// gdb's order of the general registers: rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8 …, rip.
fn gdb_order(register: Register) -> u16 {
    match register {
        Register::RAX => 0,
        Register::RBX => 1,
        Register::RCX => 2,
        Register::RDX => 3,
        Register::RSI => 4,
        Register::RDI => 5,
        Register::RBP => 6,
        Register::RSP => 7,
        other => other.0,
    }
}

fn saved(memory: &dyn Memory, address: u64) -> Result<u64, Absence> {
    Ok(memory.read_u64(address)?)
}

fn run(
    loaded: &LoadedModule,
    row: &Row,
    expression: &UnwindExpression<usize>,
    initial: Option<u64>,
    plain: &Plain<'_>,
) -> Result<u64, Absence> {
    let expression = row.expression(&loaded.module, expression)?;
    let value = evaluate_to_value(expression, row.encoding, initial, plain)?;
    Ok(value.to_u64(u64::MAX)?)
}
