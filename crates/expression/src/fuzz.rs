//! Any bytes as an expression over a program made of the same bytes: for fuzzers. Nothing here may
//! panic, hang or use much memory, whatever the bytes are.

use wayfarer_symbols::location::{Absence, Fetched, Place, Unreadable};
use wayfarer_symbols::types::Encoding;

use crate::number::builtin;
use crate::print::{Format, Letter, print};
use crate::scope::{EvaluationError, Scope, SymbolAt};
use crate::syntax::{History, Language};
use crate::types::TypeRef;
use crate::value::Value;

/// Where the bytes of the made-up program lie.
const BASE: u64 = 0x1000;

/// Parses, evaluates, describes and prints. The first byte chooses language and format, what follows
/// up to a nul is the expression, the rest is the memory.
pub fn parse_and_evaluate(input: &[u8]) {
    let Some((choice, rest)) = input.split_first() else {
        return;
    };
    let end = rest
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(rest.len());
    let (text, memory) = rest.split_at(end);
    let language = [Language::C, Language::Cpp, Language::Rust][usize::from(choice % 3)];
    let text = String::from_utf8_lossy(text);
    let mut program = Program {
        memory: memory.to_vec(),
        language,
    };
    let is_type = |name: &str| builtin(name, language).is_some() || name == "T";
    let Ok(expression) = crate::parse_with(&text, language, &is_type) else {
        return;
    };
    if let Ok(found) = crate::type_of(&expression, &mut program) {
        let _ = crate::whatis(&found);
        let _ = crate::describe_type(found.type_ref());
    }
    let Ok(value) = crate::evaluate(&expression, &mut program) else {
        return;
    };
    let letters = [
        None,
        Letter::of('x'),
        Letter::of('d'),
        Letter::of('u'),
        Letter::of('o'),
        Letter::of('t'),
        Letter::of('z'),
        Letter::of('a'),
        Letter::of('c'),
        Letter::of('f'),
        Letter::of('s'),
    ];
    let format = Format {
        letter: letters[usize::from(choice / 3) % letters.len()],
        pretty: choice & 0x40 != 0,
        null_stop: choice & 0x80 != 0,
        ..Format::default()
    };
    let _ = print(&value, &format, &mut program);
}

/// A program of a few variables in a little memory.
struct Program {
    memory: Vec<u8>,
    language: Language,
}

impl Program {
    fn type_of_name(&self, name: &str) -> Option<TypeRef> {
        let base = |name: &str| builtin(name, self.language);
        let (integer, byte, real) = match self.language {
            Language::Rust => ("i32", "u8", "f64"),
            _ => ("int", "char", "double"),
        };
        Some(match name {
            "i" => base(integer)?,
            "c" => base(byte)?,
            "d" => base(real)?,
            "p" => base(integer)?.pointer(),
            "pp" => base(integer)?.pointer().pointer(),
            "s" => base(byte)?.pointer(),
            "a" => base(integer)?.array(Some(4)),
            "t" => base(byte)?.array(Some(16)),
            "m" => base(integer)?.array(Some(3)).array(Some(2)),
            "u" => base(integer)?.array(None),
            "h" => base(byte)?.array(Some(u64::MAX / 2)),
            "w" => TypeRef::base("__int128", Encoding::Signed, 16, self.language),
            "l" => TypeRef::base("long double", Encoding::Float, 16, self.language),
            "z" => TypeRef::base("odd", Encoding::Signed, 3, self.language),
            "x" => TypeRef::base("complex", Encoding::ComplexFloat, 16, self.language),
            _ => return None,
        })
    }
}

impl Scope for Program {
    fn language(&mut self) -> Language {
        self.language
    }

    fn variable(&mut self, name: &str) -> Result<Option<Value>, EvaluationError> {
        let offset = name
            .bytes()
            .fold(0u64, |sum, byte| sum.wrapping_mul(7) ^ u64::from(byte))
            % 32;
        Ok(self
            .type_of_name(name)
            .map(|type_ref| Value::in_memory(type_ref, BASE + offset)))
    }

    fn type_named(&mut self, _: Option<&str>, name: &str) -> Option<TypeRef> {
        (name == "T").then(|| self.type_of_name("m"))?
    }

    fn fetch(&mut self, place: &Place, size: usize) -> Result<Fetched, Absence> {
        let mut bytes = vec![0; size.min(1 << 20)];
        match place {
            Place::Memory(address) => self.read(*address, &mut bytes)?,
            Place::Value(known) => bytes
                .iter_mut()
                .zip(known)
                .for_each(|(to, from)| *to = *from),
            _ => return Err(Absence::OptimisedOut),
        }
        Ok(Fetched {
            bytes,
            missing: Vec::new(),
        })
    }

    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let unreadable = Unreadable { address };
        let start = address.checked_sub(BASE).ok_or(unreadable)? as usize;
        let end = start.checked_add(buffer.len()).ok_or(unreadable)?;
        buffer.copy_from_slice(self.memory.get(start..end).ok_or(unreadable)?);
        Ok(())
    }

    fn store(&mut self, place: &Place, offset: u64, bytes: &[u8]) -> Result<(), EvaluationError> {
        let Place::Memory(address) = place else {
            return Err(EvaluationError::invalid("not in memory"));
        };
        let start = address.wrapping_add(offset).wrapping_sub(BASE) as usize;
        let end = start.checked_add(bytes.len());
        match end.and_then(|end| self.memory.get_mut(start..end)) {
            Some(target) => {
                target.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(EvaluationError::Memory(*address)),
        }
    }

    fn history(&mut self, _: History) -> Option<Value> {
        self.variable("m").ok().flatten()
    }

    fn symbol_at(&mut self, address: u64) -> Option<SymbolAt> {
        Some(SymbolAt {
            name: "symbol".to_string(),
            offset: address.checked_sub(BASE)?,
            is_code: false,
        })
    }
}
