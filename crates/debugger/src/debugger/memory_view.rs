//! `x`: memory as the user wants to read it.

use wayfarer_expression::{Language, Letter, Shape, TypeRef, Value, print};
use wayfarer_symbols::location::Memory;
use wayfarer_symbols::types::Encoding;

use super::At;
use crate::session::Space;
use crate::view::ExamineLineView;
use crate::{DebuggerError, ExamineSpec, Result};

/// The longest string shown by `x/s`.
const LONGEST_TEXT: usize = 200;

impl At<'_> {
    /// `x/NFU ADDRESS`. Instructions (`i`) come one per line with a mark in front of the program counter's.
    pub fn examine(&mut self, spec: ExamineSpec) -> Result<Vec<ExamineLineView>> {
        let process = self.stopped_thread()?.process;
        let space = self.debugger.process(process)?.space.clone();
        let (before_address, before_format, before_unit) =
            self.debugger.memories.examined.unwrap_or((0, 'x', 'w'));
        let address = match spec.expression.trim() {
            "" => before_address,
            expression => self.examined_address(expression)?,
        };
        let format = spec.format.unwrap_or(before_format);
        let unit = match (spec.unit, format) {
            (Some(unit), _) => unit,
            (None, 'a') => 'g',
            (None, 'c') => 'b',
            (None, 'f') if !matches!(before_unit, 'w' | 'g') => 'g',
            (None, _) => before_unit,
        };
        let count = spec.count.unwrap_or(1);
        let (count, address) = match count {
            // Backwards: so many units before the address.
            negative if negative < 0 => {
                let size = if "si".contains(format) {
                    1
                } else {
                    unit_size(unit)
                };
                (
                    negative.unsigned_abs(),
                    address.wrapping_sub(size * negative.unsigned_abs()),
                )
            }
            count => (count as u64, address),
        };
        let (lines, next) = match format {
            'i' => self.examine_code(&space, address, count)?,
            's' => examine_texts(&space, address, count)?,
            _ => self.examine_units(&space, address, count, format, unit)?,
        };
        self.debugger.memories.examined = Some((next, format, unit));
        // `$_` is the last unit shown, `$__` what is there.
        let last = match format {
            'i' | 's' => lines.last().map_or(address, |line| line.address),
            _ => next.wrapping_sub(unit_size(unit)),
        };
        let target = unit_type(format, unit_size(unit));
        let pointer = Value::computed(target.pointer(), last.to_le_bytes().to_vec());
        self.debugger.memories.set_convenience("_", pointer);
        let bytes = space.memory.read_some(last, unit_size(unit) as usize);
        self.debugger
            .memories
            .set_convenience("__", Value::computed(target, bytes));
        Ok(lines)
    }

    /// The address of an array or object, the value of a pointer or number.
    fn examined_address(&mut self, expression: &str) -> Result<u64> {
        let value = self.value(expression)?;
        if let (Shape::Array { .. } | Shape::Aggregate(_) | Shape::Function { .. }, Some(address)) =
            (value.type_ref.shape(), value.address())
        {
            return Ok(address);
        }
        self.address_value(expression)
    }

    fn examine_code(
        &mut self,
        space: &Space,
        address: u64,
        count: u64,
    ) -> Result<(Vec<ExamineLineView>, u64)> {
        let pc = self
            .walked()
            .ok()
            .and_then(|(_, backtrace, index)| Some(backtrace.frames.get(index)?.pc));
        let code = self
            .debugger
            .decode(space, address, u64::MAX, count as usize)?;
        let next = code
            .last()
            .map_or(address, |last| last.address + last.bytes.len() as u64);
        let lines = code
            .into_iter()
            .map(|instruction| {
                let mark = if Some(instruction.address) == pc {
                    "=> "
                } else {
                    "   "
                };
                ExamineLineView {
                    address: instruction.address,
                    symbol: space.symbolic(instruction.address),
                    values: vec![mark.to_owned(), instruction.text],
                }
            })
            .collect();
        Ok((lines, next))
    }

    fn examine_units(
        &mut self,
        space: &Space,
        address: u64,
        count: u64,
        format: char,
        unit: char,
    ) -> Result<(Vec<ExamineLineView>, u64)> {
        let size = unit_size(unit);
        let letter = Letter::of(format).ok_or_else(|| {
            DebuggerError::Usage(format!("Undefined output format \"{format}\"."))
        })?;
        let type_ref = unit_type(format, size);
        let per_line = match (format, size) {
            ('a', _) => 2,
            ('c', _) => 8,
            ('t', 1) => 8,
            ('t', 2) => 8,
            ('t', 4) => 2,
            ('t', _) => 1,
            (_, 1) => 8,
            (_, 2) => 8,
            (_, 4) => 4,
            _ => 2,
        };
        let style = wayfarer_expression::Format {
            letter: Some(letter),
            top_level: false,
            ..self.debugger.print_style().format
        };
        let style = if "xt".contains(format) {
            wayfarer_expression::Format {
                letter: Some(padded(format)),
                ..style
            }
        } else {
            style
        };
        let mut lines: Vec<ExamineLineView> = Vec::new();
        for index in 0..count {
            let at = address.wrapping_add(index * size);
            let mut bytes = vec![0; size as usize];
            space
                .memory
                .read(at, &mut bytes)
                .map_err(|error| DebuggerError::Memory(error.address))?;
            let value = Value::computed(type_ref.clone(), bytes);
            let text = self.with_scene(|scene| print(&value, &style, scene));
            let text = text.map_err(|error| DebuggerError::Expression(error.to_string()))?;
            let text = if format == 't' {
                padded_binary(&text, size)
            } else {
                text
            };
            if index % per_line == 0 {
                lines.push(ExamineLineView {
                    address: at,
                    symbol: space.symbolic(at),
                    values: Vec::new(),
                });
            }
            if let Some(line) = lines.last_mut() {
                line.values.push(text);
            }
        }
        Ok((lines, address.wrapping_add(count * size)))
    }
}

/// `x/x` pads to the size of the unit, other letters stay as they are.
fn padded(format: char) -> Letter {
    if format == 'x' {
        Letter::PaddedHexadecimal
    } else {
        Letter::Binary
    }
}

fn padded_binary(text: &str, size: u64) -> String {
    format!("{text:0>width$}", width = size as usize * 8)
}

fn unit_size(unit: char) -> u64 {
    match unit {
        'b' => 1,
        'h' => 2,
        'g' => 8,
        _ => 4,
    }
}

fn unit_type(format: char, size: u64) -> TypeRef {
    let base = |name: &str, encoding| TypeRef::base(name, encoding, size, Language::C);
    match (format, size) {
        ('f', 4) => base("float", Encoding::Float),
        ('f', 8) => base("double", Encoding::Float),
        ('c', 1) => base("char", Encoding::SignedCharacter),
        ('d' | 'c', _) => base("long", Encoding::Signed),
        _ => base("unsigned long", Encoding::Unsigned),
    }
}

fn examine_texts(space: &Space, address: u64, count: u64) -> Result<(Vec<ExamineLineView>, u64)> {
    let mut at = address;
    let mut lines = Vec::new();
    for _ in 0..count {
        let mut first = [0];
        space
            .memory
            .read(at, &mut first)
            .map_err(|error| DebuggerError::Memory(error.address))?;
        let text = space.memory.read_text(at, LONGEST_TEXT);
        let cut = if text.len() == LONGEST_TEXT {
            "..."
        } else {
            ""
        };
        let shown = escaped(&text);
        lines.push(ExamineLineView {
            address: at,
            symbol: space.symbolic(at),
            values: vec![format!("\"{shown}\"{cut}")],
        });
        at += text.len() as u64 + u64::from(cut.is_empty());
    }
    Ok((lines, at))
}

/// Bytes as C writes them in a string.
fn escaped(text: &[u8]) -> String {
    let mut shown = String::new();
    for byte in text {
        match byte {
            b'\n' => shown.push_str("\\n"),
            b'\t' => shown.push_str("\\t"),
            b'\r' => shown.push_str("\\r"),
            0x07 => shown.push_str("\\a"),
            0x08 => shown.push_str("\\b"),
            0x0c => shown.push_str("\\f"),
            0x0b => shown.push_str("\\v"),
            b'"' | b'\\' => shown.extend(['\\', char::from(*byte)]),
            0x20..=0x7e => shown.push(char::from(*byte)),
            _ => shown.push_str(&format!("\\{byte:03o}")),
        }
    }
    shown
}
