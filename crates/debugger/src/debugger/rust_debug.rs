//! Rust values in their own words: `<T as core::fmt::Debug>::fmt`, where it is linked in, called in the program.
//!
//! The function wants a `Formatter`, and that wants somewhere to write. Both are made in the program's heap: an empty
//! `String`, the vtable of `String` as a `fmt::Write` (the standard library has one), and a `Formatter` laid out as the
//! debug information says. Afterwards the `String` is dropped by its own code and the memory is freed.

use std::sync::Arc;

use wayfarer_backend::{CallArgument, CallReturned, InferiorCallRequest};
use wayfarer_expression::{Shape, TypeRef};
use wayfarer_symbols::demangle::demangle;
use wayfarer_symbols::types::MemberPosition;
use wayfarer_symbols::unwind::AddressSpace;
use wayfarer_symbols::{Module, Symbol, SymbolKind};

use super::hands::{Hands, LONGEST_TEXT};
use crate::evaluation::Services;
use crate::session::{MappedModule, Space};

/// What stands after a type in the name of its function.
const DEBUG: &str = " as core::fmt::Debug>::fmt";
/// The function that appends to a `String`.
const WRITE: &str = "<alloc::string::String as core::fmt::Write>::write_str";
/// Room for the `String` before the `Formatter`.
const STRING: usize = 32;
/// A `Formatter` is smaller.
const FORMATTER: usize = 128;
/// Flags of a plain `{:?}` where the fill character is among them: a blank, no alignment.
const PLAIN_FLAGS: u32 = 0x6000_0020;
/// `{:#?}`, in those flags and in those of older libraries.
const ALTERNATE: u32 = 1 << 23;
const OLD_ALTERNATE: u32 = 1 << 2;

/// What is known of a process.
pub(crate) struct DebugMaker {
    /// `String` as a `fmt::Write`: its vtable, and the function that drops it.
    vtable: u64,
    drop: u64,
    /// Where `String` keeps pointer and length.
    pointer: u64,
    length: u64,
    formatter: Formatter,
}

/// Offsets inside a `core::fmt::Formatter`.
struct Formatter {
    sink: u64,
    flags: u64,
    fill: Option<u64>,
    align: Option<u64>,
}

impl Hands<'_> {
    /// The text of an object, if its type has a `Debug` that can be called.
    pub(super) fn rust_debug(&mut self, type_name: &str, object: u64) -> Option<String> {
        let id = self.thread?;
        let process = self.debugger.process(id.process).ok()?;
        let (space, key) = (process.space.clone(), process.key);
        let known = &mut self.debugger.memories.debug_functions;
        let function = *known
            .entry((key, type_name.to_owned()))
            .or_insert_with(|| debug_function(&space, type_name));
        let function = function?;
        let makers = &mut self.debugger.memories.debug_makers;
        let maker = makers
            .entry(key)
            .or_insert_with(|| DebugMaker::find(&space).map(Arc::new))
            .clone()?;
        let pretty = self.debugger.print_style().format.pretty;
        let room = self.allocate(&[0; STRING + FORMATTER]).ok()?;
        let formatter = room + STRING as u64;
        self.write_memory(room, &maker.string()).ok()?;
        self.write_memory(
            formatter,
            &maker.formatter.bytes(room, maker.vtable, pretty),
        )
        .ok()?;
        let outcome = self.call_numbers(function, &[object, formatter]);
        let text = outcome.and_then(|_| {
            let word = |at: u64| space.memory().read_u64(room + at);
            let (pointer, length) = (word(maker.pointer)?, word(maker.length)?);
            let length = length.min(LONGEST_TEXT as u64) as usize;
            Ok(space.memory.read_some(pointer, length))
        });
        // What was made goes again, also when the call failed.
        if maker.drop != 0 {
            let _ = self.call_numbers(maker.drop, &[room]);
        }
        if let Some(free) = self.function_named("free") {
            let _ = self.call_numbers(free, &[room]);
        }
        match text {
            Ok(text) => Some(String::from_utf8_lossy(&text).into_owned()),
            Err(error) => {
                let words = format!("warning: Debug of {type_name} was not usable: {error}");
                self.debugger.say(words);
                None
            }
        }
    }

    /// Calls a function with plain numbers.
    fn call_numbers(
        &mut self,
        function: u64,
        numbers: &[u64],
    ) -> Result<CallReturned, wayfarer_expression::EvaluationError> {
        let arguments = numbers.iter().copied().map(CallArgument::Number).collect();
        self.run(InferiorCallRequest {
            arguments,
            ..self.call_of(function)?
        })
    }
}

impl DebugMaker {
    fn find(space: &Space) -> Option<DebugMaker> {
        let (vtable, drop) = space.modules.iter().find_map(|mapped| {
            let write = mapped
                .loaded
                .module
                .symbols()
                .find(|symbol| symbol.kind == SymbolKind::Function && is_write(symbol))?;
            vtable_with(space, mapped, write.address.in_process(mapped.loaded.bias))
        })?;
        let (string, _) = aggregate(space, "alloc::string::String").unzip();
        let inside = |name: &str, usual: u64| {
            let found = string
                .as_ref()
                .and_then(|string| offset_of(string, name, 8));
            found.map_or(usual, |(offset, _)| offset)
        };
        let (formatter, _) = aggregate(space, "core::fmt::Formatter")?;
        let place = |name: &str| offset_of(&formatter, name, 2).map(|(offset, _)| offset);
        Some(DebugMaker {
            vtable,
            drop,
            pointer: inside("ptr", 8),
            length: inside("len", 16),
            formatter: Formatter {
                sink: place("buf")?,
                flags: place("flags")?,
                fill: place("fill"),
                align: place("align"),
            },
        })
    }

    /// An empty `String`: its pointer dangles at 1.
    fn string(&self) -> [u8; STRING] {
        let mut bytes = [0; STRING];
        put(&mut bytes, self.pointer, &1_u64.to_le_bytes());
        bytes
    }
}

impl Formatter {
    fn bytes(&self, string: u64, vtable: u64, pretty: bool) -> [u8; FORMATTER] {
        let mut bytes = [0; FORMATTER];
        let (plain, alternate) = match self.fill {
            Some(_) => (0, OLD_ALTERNATE),
            None => (PLAIN_FLAGS, ALTERNATE),
        };
        let flags = plain | if pretty { alternate } else { 0 };
        put(&mut bytes, self.flags, &flags.to_le_bytes());
        if let Some(fill) = self.fill {
            put(&mut bytes, fill, &u32::from(' ').to_le_bytes());
        }
        if let Some(align) = self.align {
            put(&mut bytes, align, &[3]);
        }
        put(&mut bytes, self.sink, &string.to_le_bytes());
        put(&mut bytes, self.sink + 8, &vtable.to_le_bytes());
        bytes
    }
}

/// Writes into a block; what would lie outside is left out.
fn put(block: &mut [u8], at: u64, bytes: &[u8]) {
    if let Some(place) = block.get_mut(at as usize..at as usize + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn is_write(symbol: &Symbol<'_>) -> bool {
    symbol.name.contains("write_str") && demangle(symbol.name) == WRITE
}

/// The vtable whose first method is this function: drop, size 24, alignment 8, then the methods.
fn vtable_with(space: &Space, mapped: &MappedModule, method: u64) -> Option<(u64, u64)> {
    let sections = mapped.loaded.module.sections();
    let section = sections
        .iter()
        .find(|section| section.name == ".data.rel.ro")?;
    let start = section.address.in_process(mapped.loaded.bias);
    let bytes = space.memory.read_some(start, section.size as usize);
    let words: Vec<u64> = bytes
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
        .collect();
    let at = words
        .windows(4)
        .position(|window| window[1] == 24 && window[2] == 8 && window[3] == method)?;
    Some((start + at as u64 * 8, words[at]))
}

/// A type by name, from the first module that describes it.
fn aggregate(space: &Space, name: &str) -> Option<(TypeRef, Arc<Module>)> {
    space.modules.iter().find_map(|mapped| {
        let module = &mapped.loaded.module;
        let ids = module.find_types(name).ok()?;
        let type_ref = TypeRef::known(module, Some(*ids.first()?));
        matches!(type_ref.shape(), Shape::Aggregate(_)).then(|| (type_ref, module.clone()))
    })
}

/// Where a member of this name lies, looked for so many levels deep, and its type.
fn offset_of(type_ref: &TypeRef, name: &str, depth: usize) -> Option<(u64, TypeRef)> {
    let Shape::Aggregate(structure) = type_ref.shape() else {
        return None;
    };
    let members: Vec<(Option<Arc<str>>, u64, TypeRef)> = structure
        .members
        .iter()
        .filter_map(|member| match member.position {
            MemberPosition::Offset(offset) => Some((
                member.name.clone(),
                offset,
                structure.member_type(member.type_id),
            )),
            _ => None,
        })
        .collect();
    for (member, offset, type_ref) in &members {
        if member.as_deref() == Some(name) {
            return Some((*offset, type_ref.clone()));
        }
    }
    if depth == 0 {
        return None;
    }
    members.iter().find_map(|(_, offset, type_ref)| {
        let (inner, found) = offset_of(type_ref, name, depth - 1)?;
        Some((offset + inner, found))
    })
}

/// `<T as core::fmt::Debug>::fmt` of a type, by its address.
fn debug_function(space: &Space, type_name: &str) -> Option<u64> {
    let wanted = base(type_name);
    for mapped in space.modules.iter() {
        let module = &mapped.loaded.module;
        for symbol in module.symbols() {
            if symbol.kind != SymbolKind::Function
                || !symbol.name.contains("Debug")
                || !symbol.name.contains("fmt")
            {
                continue;
            }
            let name = demangle(symbol.name);
            let Some(own) = name
                .strip_suffix(DEBUG)
                .and_then(|rest| rest.strip_prefix('<'))
            else {
                continue;
            };
            // Older names have `T` for every argument: then the type of `self` decides.
            let generic = own.contains('<') && base(own) == wanted;
            if own == type_name || (generic && self_type(module, &symbol) == type_name) {
                return Some(symbol.address.in_process(mapped.loaded.bias));
            }
        }
    }
    None
}

/// A type's name without its arguments.
fn base(name: &str) -> &str {
    name.split('<').next().unwrap_or(name)
}

/// The name of what the first parameter of a function points to.
fn self_type(module: &Arc<Module>, symbol: &Symbol<'_>) -> String {
    let variables = module.variables_at(symbol.address).unwrap_or_default();
    let own = variables
        .iter()
        .find(|variable| variable.kind == wayfarer_symbols::VariableKind::Parameter);
    let type_ref = TypeRef::known(module, own.and_then(|own| own.type_id));
    match type_ref.shape() {
        Shape::Pointer { target, .. } => target.plain_name(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatters_of_both_ages() {
        let mut formatter = Formatter {
            sink: 8,
            flags: 0,
            fill: None,
            align: None,
        };
        let bytes = formatter.bytes(0x1000, 0x2000, false);
        assert_eq!(bytes[..4], PLAIN_FLAGS.to_le_bytes());
        assert_eq!(bytes[8..16], 0x1000_u64.to_le_bytes());
        assert_eq!(bytes[16..24], 0x2000_u64.to_le_bytes());
        formatter.fill = Some(4);
        formatter.align = Some(30);
        let bytes = formatter.bytes(0, 0, true);
        assert_eq!(bytes[..4], OLD_ALTERNATE.to_le_bytes());
        assert_eq!(bytes[4..8], u32::from(' ').to_le_bytes());
        assert_eq!(bytes[30], 3);
    }

    #[test]
    fn names_without_arguments() {
        assert_eq!(base("a::B<c::D<e>>"), "a::B");
        assert_eq!(base("a::B"), "a::B");
    }
}
