//! Machine code as text.

use iced_x86::{
    Decoder, DecoderOptions, Formatter, GasFormatter, Instruction, SymbolResolver, SymbolResult,
};
use wayfarer_symbols::unwind::AddressSpace;

use super::{At, Debugger};
use crate::session::Space;
use crate::view::{DisassemblyView, InstructionView};
use crate::{DebuggerError, DisassembleSpec, Result};

/// The longest x86 instruction.
const LONGEST: usize = 15;
/// No function is larger; a range that is was a mistake.
const LARGEST: u64 = 1 << 20;

/// Writes `<main+4>` behind the targets of jumps and calls.
struct Names(Space);

impl SymbolResolver for Names {
    fn symbol(
        &mut self,
        instruction: &Instruction,
        _operand: u32,
        _instruction_operand: Option<u32>,
        address: u64,
        _size: u32,
    ) -> Option<SymbolResult<'_>> {
        let near = instruction.is_call_near()
            || instruction.is_jmp_short_or_near()
            || instruction.is_jcc_short_or_near();
        if !near {
            return None;
        }
        let name = self.0.symbolic(address)?;
        Some(SymbolResult::with_string(
            address,
            format!("{address:#x} <{name}>"),
        ))
    }
}

impl At<'_> {
    /// Machine code.
    pub fn disassemble(&mut self, spec: DisassembleSpec) -> Result<DisassemblyView> {
        let process = self.own_process()?;
        let space = self.debugger.process(process)?.space.clone();
        let what = spec.what.trim();
        let pc = self
            .walked()
            .ok()
            .and_then(|(_, backtrace, index)| Some(backtrace.frames.get(index)?.pc));
        let (start, end, whole) = match what.split_once(',') {
            Some((start, end)) => {
                let start = self.address_value(start)?;
                let end = match end.trim().strip_prefix('+') {
                    Some(length) => start.saturating_add(self.address_value(length)?),
                    None => self.address_value(end)?,
                };
                (start, end, false)
            }
            None => {
                let address = match what {
                    "" => pc.ok_or(DebuggerError::NoFrame)?,
                    what => self.address_value(what)?,
                };
                let (start, end) = bounds(&space, address).ok_or_else(|| {
                    DebuggerError::Usage("No function contains specified address.".to_owned())
                })?;
                (start, end, true)
            }
        };
        if end < start || end - start > LARGEST {
            return Err(DebuggerError::Usage(format!(
                "From {start:#x} to {end:#x} is not a range of code."
            )));
        }
        let mut instructions = self.debugger.decode(&space, start, end, usize::MAX)?;
        for instruction in &mut instructions {
            instruction.current = Some(instruction.address) == pc;
        }
        if spec.source {
            add_lines(&space, &mut instructions);
        }
        let function = instructions
            .first()
            .and_then(|first| first.function.clone())
            .filter(|_| whole);
        Ok(DisassemblyView {
            function,
            start,
            end,
            instructions,
        })
    }
}

impl Debugger {
    /// Decodes instructions from an address, so many or up to an end.
    pub(super) fn decode(
        &self,
        space: &Space,
        start: u64,
        end: u64,
        most: usize,
    ) -> Result<Vec<InstructionView>> {
        let wanted = end.saturating_sub(start).min(LARGEST) as usize;
        let length = if most == usize::MAX {
            wanted
        } else {
            wanted.min(most.saturating_mul(LONGEST))
        };
        let bytes = space.memory.read_some(start, length);
        if bytes.is_empty() {
            return Err(DebuggerError::Memory(start));
        }
        let mut formatter = GasFormatter::with_options(Some(Box::new(Names(space.clone()))), None);
        let options = formatter.options_mut();
        options.set_uppercase_hex(false);
        options.set_gas_show_mnemonic_size_suffix(false);
        options.set_space_after_operand_separator(false);
        options.set_first_operand_char_index(7);
        options.set_branch_leading_zeros(false);
        options.set_small_hex_numbers_in_decimal(false);
        options.set_show_symbol_address(false);
        options.set_rip_relative_addresses(true);
        let mut decoder = Decoder::with_ip(64, &bytes, start, DecoderOptions::NONE);
        let mut views = Vec::new();
        let mut instruction = Instruction::default();
        while decoder.can_decode() && views.len() < most && decoder.ip() < end {
            decoder.decode_out(&mut instruction);
            let mut text = String::new();
            if self.settings.intel_flavor() {
                intel(&instruction, space, &mut text);
            } else if instruction.is_invalid() {
                text.push_str("(bad)");
            } else {
                formatter.format(&instruction, &mut text);
                // The place itself behind the distance to it.
                if instruction.is_ip_rel_memory_operand() {
                    let address = instruction.ip_rel_memory_address();
                    text.push_str(&format!("        # {address:#x}"));
                    if let Some(name) = space.symbolic(address) {
                        text.push_str(&format!(" <{name}>"));
                    }
                }
            }
            let from = (instruction.ip() - start) as usize;
            let (function, offset) = split_name(space, instruction.ip());
            views.push(InstructionView {
                address: instruction.ip(),
                offset,
                function,
                line: None,
                file: None,
                full_path: None,
                bytes: bytes
                    .get(from..from + instruction.len())
                    .unwrap_or_default()
                    .to_vec(),
                text,
                current: false,
            });
        }
        Ok(views)
    }
}

/// Intel's way, from the same decoder; without operands' addresses turned into names.
fn intel(instruction: &Instruction, space: &Space, text: &mut String) {
    let mut formatter = GasFormatter::new();
    formatter.options_mut().set_gas_naked_registers(true);
    formatter.format(instruction, text);
    if let Some(name) = instruction
        .is_call_near()
        .then(|| space.symbolic(instruction.near_branch_target()))
        .flatten()
    {
        text.push_str(&format!(" <{name}>"));
    }
}

/// The function that contains an address.
fn bounds(space: &Space, address: u64) -> Option<(u64, u64)> {
    let loaded = space.module_at(address)?;
    let own = loaded.address(address);
    if let Ok(Some(function)) = loaded.module.function_at(own) {
        let range = function
            .ranges
            .iter()
            .find(|range| range.contains(own))
            .or(function.ranges.first())?;
        return Some((
            range.start.in_process(loaded.bias),
            range.end.in_process(loaded.bias),
        ));
    }
    let symbol = loaded.module.symbol_at(own)?;
    let size = symbol.size.max(own.0.wrapping_sub(symbol.address.0) + 1);
    let start = symbol.address.in_process(loaded.bias);
    Some((start, start + size))
}

fn split_name(space: &Space, address: u64) -> (Option<String>, Option<u64>) {
    let Some(loaded) = space.module_at(address) else {
        return (None, None);
    };
    let own = loaded.address(address);
    match loaded.module.symbol_at(own) {
        Some(symbol) => {
            let name = wayfarer_symbols::demangle::demangle(symbol.name);
            (Some(name), Some(own.0.wrapping_sub(symbol.address.0)))
        }
        None => (None, None),
    }
}

/// Marks the first instruction of each line.
fn add_lines(space: &Space, instructions: &mut [InstructionView]) {
    let mut last = None;
    for instruction in instructions {
        let Some(loaded) = space.module_at(instruction.address) else {
            continue;
        };
        let Ok(Some(entry)) = loaded.module.line_at(loaded.address(instruction.address)) else {
            continue;
        };
        let here = (
            entry.position.file.path.display().to_string(),
            entry.position.line as u32,
        );
        if last.as_ref() != Some(&here) {
            instruction.file = Some(entry.position.file.name.clone());
            instruction.full_path = Some(here.0.clone());
            instruction.line = Some(here.1);
            last = Some(here);
        }
    }
}
