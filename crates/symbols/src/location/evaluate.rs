//! Runs one DWARF expression. The expression asks, its surroundings answer.

use gimli::{
    DebugAddrIndex, DebugInfoOffset, DieReference, Encoding, EvaluationResult, Expression, Reader,
    UnitOffset, Value, ValueType,
};

use super::{Absence, Memory, Piece, Place};
use crate::DieId;
use crate::registers::Register;

/// A correct expression needs a few dozen operations; a damaged one may loop.
const MOST_OPERATIONS: u32 = 100_000;

/// What an expression may ask for. Every answer but memory and registers has a default that says
/// honestly that it cannot be given here.
pub trait Surroundings<R: Reader<Offset = usize>> {
    /// The memory of the debuggee.
    fn memory(&self) -> &dyn Memory;

    /// The whole of a register in the frame.
    fn register(&self, register: Register) -> Result<u128, Absence>;

    /// The address that `DW_AT_frame_base` of the function gives.
    fn frame_base(&self) -> Result<u64, Absence> {
        Err(Absence::NoFrame)
    }

    /// The canonical frame address of the frame.
    fn canonical_frame_address(&self) -> Result<u64, Absence> {
        Err(Absence::NoFrame)
    }

    /// A link-time address as an address of the process.
    fn relocate(&self, address: u64) -> u64 {
        address
    }

    /// The address of a thread-local variable at this offset of its module's block.
    fn thread_local(&self, _offset: u64) -> Result<u64, Absence> {
        Err(Absence::Unsupported(
            "thread-local variable without a thread",
        ))
    }

    /// The value that an expression had at the entry of the function.
    fn entry_value(&self, _expression: Expression<R>) -> Result<Value, Absence> {
        Err(Absence::EntryValueUnknown)
    }

    /// The value that the caller passed for an optimised-out parameter.
    fn parameter(&self, _parameter: UnitOffset) -> Result<Value, Absence> {
        Err(Absence::EntryValueUnknown)
    }

    /// The location expression of another entry; empty when it has none.
    fn location_of(&self, _entry: DieReference) -> Result<R, Absence> {
        Err(Absence::Unsupported("call of another location"))
    }

    /// The base type at this offset of the unit.
    fn base_type(&self, _entry: UnitOffset) -> Result<ValueType, Absence> {
        Err(Absence::Unsupported("typed operation outside a unit"))
    }

    /// The entry at this offset of `.debug_info`.
    fn entry_at(&self, _offset: DebugInfoOffset) -> Result<DieId, Absence> {
        Err(Absence::Unsupported("reference to an entry outside a unit"))
    }

    /// An entry of `.debug_addr`.
    fn indexed_address(&self, _index: DebugAddrIndex) -> Result<u64, Absence> {
        Err(Absence::Unsupported("indexed address outside a unit"))
    }
}

/// Runs an expression to its end and says where the value is.
pub fn evaluate<R: Reader<Offset = usize>>(
    expression: Expression<R>,
    encoding: Encoding,
    initial: Option<u64>,
    surroundings: &dyn Surroundings<R>,
) -> Result<Place, Absence> {
    if expression.0.is_empty() {
        return Ok(Place::Absent(Absence::OptimisedOut));
    }
    let (_, pieces) = run(expression, encoding, initial, surroundings)?;
    place_of(pieces, surroundings)
}

/// Runs an expression of which only the number at the top of the stack is wanted.
pub fn evaluate_to_value<R: Reader<Offset = usize>>(
    expression: Expression<R>,
    encoding: Encoding,
    initial: Option<u64>,
    surroundings: &dyn Surroundings<R>,
) -> Result<Value, Absence> {
    let (value, pieces) = run(expression, encoding, initial, surroundings)?;
    if let Some(value) = value {
        return Ok(value);
    }
    match place_of(pieces, surroundings)? {
        Place::Memory(address) => Ok(Value::Generic(address)),
        Place::Register(register) => Ok(Value::Generic(surroundings.register(register)? as u64)),
        Place::Value(bytes) => Ok(Value::Generic(word(&bytes))),
        Place::Absent(absence) => Err(absence),
        _ => Err(Absence::Unsupported("value in several pieces")),
    }
}

fn word(bytes: &[u8]) -> u64 {
    let mut buffer = [0; 8];
    let length = bytes.len().min(8);
    buffer[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(buffer)
}

type Finished<R> = (Option<Value>, Vec<gimli::Piece<R>>);

fn run<R: Reader<Offset = usize>>(
    expression: Expression<R>,
    encoding: Encoding,
    initial: Option<u64>,
    surroundings: &dyn Surroundings<R>,
) -> Result<Finished<R>, Absence> {
    let mut evaluation = expression.evaluation(encoding);
    evaluation.set_max_iterations(MOST_OPERATIONS);
    if let Some(value) = initial {
        evaluation.set_initial_value(value);
    }
    let mut state = evaluation.evaluate()?;
    loop {
        state = match state {
            EvaluationResult::Complete => {
                let value = evaluation.value_result();
                return Ok((value, evaluation.result()));
            }
            EvaluationResult::RequiresMemory {
                address,
                size,
                space,
                base_type,
            } => {
                if space.is_some_and(|space| space != 0) {
                    return Err(Absence::Unsupported("address space"));
                }
                let mut bytes = [0; 16];
                let size = usize::from(size).min(bytes.len());
                surroundings.memory().read(address, &mut bytes[..size])?;
                let value = typed(&bytes, base_type, surroundings)?;
                evaluation.resume_with_memory(value)?
            }
            EvaluationResult::RequiresRegister {
                register,
                base_type,
            } => {
                let bytes = surroundings.register(register.into())?.to_le_bytes();
                let value = typed(&bytes, base_type, surroundings)?;
                evaluation.resume_with_register(value)?
            }
            EvaluationResult::RequiresFrameBase => {
                evaluation.resume_with_frame_base(surroundings.frame_base()?)?
            }
            EvaluationResult::RequiresTls(offset) => {
                evaluation.resume_with_tls(surroundings.thread_local(offset)?)?
            }
            EvaluationResult::RequiresCallFrameCfa => {
                evaluation.resume_with_call_frame_cfa(surroundings.canonical_frame_address()?)?
            }
            EvaluationResult::RequiresAtLocation(entry) => {
                evaluation.resume_with_at_location(surroundings.location_of(entry)?)?
            }
            EvaluationResult::RequiresEntryValue(expression) => {
                evaluation.resume_with_entry_value(surroundings.entry_value(expression)?)?
            }
            EvaluationResult::RequiresParameterRef(parameter) => {
                let value = surroundings.parameter(parameter)?;
                evaluation.resume_with_parameter_ref(value.to_u64(u64::MAX)?)?
            }
            EvaluationResult::RequiresRelocatedAddress(address) => {
                evaluation.resume_with_relocated_address(surroundings.relocate(address))?
            }
            EvaluationResult::RequiresIndexedAddress { index, relocate } => {
                let mut address = surroundings.indexed_address(index)?;
                if relocate {
                    address = surroundings.relocate(address);
                }
                evaluation.resume_with_indexed_address(address)?
            }
            EvaluationResult::RequiresBaseType(entry) => {
                evaluation.resume_with_base_type(surroundings.base_type(entry)?)?
            }
            EvaluationResult::RequiresWasmLocal { .. }
            | EvaluationResult::RequiresWasmGlobal { .. }
            | EvaluationResult::RequiresWasmStack { .. } => {
                return Err(Absence::Unsupported("WebAssembly value"));
            }
        };
    }
}

/// The bytes as a value of the base type; offset 0 stands for the generic type.
fn typed<R: Reader<Offset = usize>>(
    bytes: &[u8; 16],
    base_type: UnitOffset,
    surroundings: &dyn Surroundings<R>,
) -> Result<Value, Absence> {
    let raw = word(bytes);
    if base_type.0 == 0 {
        return Ok(Value::Generic(raw));
    }
    Ok(of_type(raw, surroundings.base_type(base_type)?))
}

/// The same bits as a value of another type.
pub(crate) fn retyped(value: Value, wanted: ValueType) -> Value {
    of_type(word(&bytes_of(value)), wanted)
}

fn of_type(raw: u64, wanted: ValueType) -> Value {
    match wanted {
        ValueType::Generic => Value::Generic(raw),
        ValueType::I8 => Value::I8(raw as i8),
        ValueType::U8 => Value::U8(raw as u8),
        ValueType::I16 => Value::I16(raw as i16),
        ValueType::U16 => Value::U16(raw as u16),
        ValueType::I32 => Value::I32(raw as i32),
        ValueType::U32 => Value::U32(raw as u32),
        ValueType::I64 => Value::I64(raw as i64),
        ValueType::U64 => Value::U64(raw),
        ValueType::F32 => Value::F32(f32::from_bits(raw as u32)),
        ValueType::F64 => Value::F64(f64::from_bits(raw)),
    }
}

fn place_of<R: Reader<Offset = usize>>(
    pieces: Vec<gimli::Piece<R>>,
    surroundings: &dyn Surroundings<R>,
) -> Result<Place, Absence> {
    if let [only] = pieces.as_slice()
        && only.size_in_bits.is_none()
    {
        return single(&only.location, surroundings);
    }
    let mut parts = Vec::with_capacity(pieces.len());
    for piece in pieces {
        parts.push(Piece {
            place: single(&piece.location, surroundings)?,
            size_in_bits: piece.size_in_bits.unwrap_or(0),
            bit_offset: piece.bit_offset.unwrap_or(0),
        });
    }
    if parts.is_empty() {
        return Ok(Place::Absent(Absence::OptimisedOut));
    }
    Ok(Place::Pieces(parts))
}

fn single<R: Reader<Offset = usize>>(
    location: &gimli::Location<R>,
    surroundings: &dyn Surroundings<R>,
) -> Result<Place, Absence> {
    Ok(match location {
        gimli::Location::Empty => Place::Absent(Absence::OptimisedOut),
        // A register that is gone is found out here, so that it is not taken for a place.
        gimli::Location::Register { register } => match surroundings.register((*register).into()) {
            Ok(_) => Place::Register((*register).into()),
            Err(absence) => Place::Absent(absence),
        },
        gimli::Location::Address { address } => Place::Memory(*address),
        gimli::Location::Value { value } => Place::Value(bytes_of(*value)),
        gimli::Location::Bytes { value } => Place::Value(value.to_slice()?.to_vec()),
        gimli::Location::ImplicitPointer { value, byte_offset } => Place::ImplicitPointer {
            target: surroundings.entry_at(*value)?,
            byte_offset: *byte_offset,
        },
    })
}

/// A stack value as bytes. Integers are extended to 8 bytes by their sign: the variable's own type
/// cuts off what it does not want.
pub(crate) fn bytes_of(value: Value) -> Vec<u8> {
    match value {
        Value::Generic(value) | Value::U64(value) => value.to_le_bytes().to_vec(),
        Value::I8(value) => i64::from(value).to_le_bytes().to_vec(),
        Value::U8(value) => u64::from(value).to_le_bytes().to_vec(),
        Value::I16(value) => i64::from(value).to_le_bytes().to_vec(),
        Value::U16(value) => u64::from(value).to_le_bytes().to_vec(),
        Value::I32(value) => i64::from(value).to_le_bytes().to_vec(),
        Value::U32(value) => u64::from(value).to_le_bytes().to_vec(),
        Value::I64(value) => value.to_le_bytes().to_vec(),
        Value::F32(value) => value.to_bits().to_le_bytes().to_vec(),
        Value::F64(value) => value.to_bits().to_le_bytes().to_vec(),
    }
}
