//! `info registers`.

use wayfarer_expression::flags;
use wayfarer_symbols::registers::{Register, Registers};

use super::At;
use crate::view::RegisterView;
use crate::{DebuggerError, Result};

impl At<'_> {
    /// Registers of the frame; no names: the general ones (`info registers`); `all`: all of them.
    pub fn registers(&mut self, names: &[&str]) -> Result<Vec<RegisterView>> {
        let (id, backtrace, index) = self.walked()?;
        let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
        let activation = backtrace
            .stack
            .activations
            .get(frame.activation)
            .ok_or(DebuggerError::NoFrame)?;
        let space = self.debugger.process(id.process)?.space.clone();
        let wanted: Vec<Register> = match names {
            [] => Register::all()
                .filter(|register| !(17..=40).contains(&register.0))
                .collect(),
            ["all"] => Register::all().collect(),
            names => names
                .iter()
                .map(|name| {
                    let plain = name.trim_start_matches('$');
                    Register::by_name(plain)
                        .ok_or_else(|| DebuggerError::Usage(format!("Invalid register `{plain}'")))
                })
                .collect::<Result<_>>()?,
        };
        let symbol = |address: u64| space.symbolic(address);
        Ok(wanted
            .into_iter()
            .map(|register| view(register, &activation.registers, &symbol))
            .collect())
    }
}

fn view(
    register: Register,
    registers: &Registers,
    symbol: &dyn Fn(u64) -> Option<String>,
) -> RegisterView {
    let name = register.to_string();
    let Some(wide) = registers.get_wide(register) else {
        return RegisterView {
            name,
            raw: "<not saved>".to_owned(),
            natural: "<not saved>".to_owned(),
        };
    };
    let raw = format!("{wide:#x}");
    let natural = match register {
        Register::RIP => match symbol(wide as u64) {
            Some(symbol) => format!("{wide:#x} <{symbol}>"),
            None => raw.clone(),
        },
        Register::RSP | Register::RBP => raw.clone(),
        Register::EFLAGS => flags((wide as u64).into()),
        Register(17..=32) => raw.clone(),
        _ => (wide as i64).to_string(),
    };
    RegisterView { name, raw, natural }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_written_as_gdb_does() {
        assert_eq!(flags(0x246), "[ PF ZF IF ]");
        assert_eq!(flags(0), "[ ]");
    }
}
