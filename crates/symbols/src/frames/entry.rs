//! What a parameter was when its function was entered, as the caller tells it (`name@entry`).

use gimli::{Encoding, Expression, Operation};

use super::call_site;
use super::viewpoint::Viewpoint;
use crate::Reader;
use crate::location::{Absence, Place, bytes_of};
use crate::variable::{Variable, VariableLocation};

impl Viewpoint<'_> {
    /// The value that a parameter had on entry: known where it came in a register or on the stack, and the
    /// caller says what it had put there.
    pub fn place_at_entry(&self, parameter: &Variable) -> Result<Place, Absence> {
        let activation = self.activation().ok_or(Absence::NoFrame)?;
        let start = self.loaded.function_start(activation.lookup_pc());
        let start = start.ok_or(Absence::EntryValueUnknown)?;
        let within = self.within(parameter.die.unit)?;
        let encoding = within.unit.unit.encoding();
        let value = match &parameter.location {
            VariableLocation::List(list) => {
                let expression = within.choose(*list, start)?;
                if !is_handed_over(&expression, encoding) {
                    return Err(Absence::EntryValueUnknown);
                }
                call_site::entry_value(self, expression, encoding)?
            }
            VariableLocation::Expression(bytes) => {
                let expression = Expression(Reader::new(bytes, gimli::LittleEndian));
                if !is_handed_over(&expression, encoding) {
                    return Err(Absence::EntryValueUnknown);
                }
                // Seen from a viewpoint that lives no longer than these bytes.
                let viewpoint: Viewpoint<'_> = *self;
                call_site::entry_value(&viewpoint, expression, encoding)?
            }
            _ => return Err(Absence::EntryValueUnknown),
        };
        Ok(Place::Value(bytes_of(value)))
    }
}

/// Whether a location is one that a caller can fill: a register, or a place on the stack.
fn is_handed_over(expression: &Expression<Reader<'_>>, encoding: Encoding) -> bool {
    call_site::register_named(expression, encoding).is_some()
        || stack_offset(expression, encoding).is_some()
}

/// The offset in the area of arguments on the stack that a whole expression names: for the function it counts from its
/// frame base, for the caller from the stack pointer at the call, which is the same address.
pub(super) fn stack_offset(expression: &Expression<Reader<'_>>, encoding: Encoding) -> Option<i64> {
    let mut operations = expression.operations(encoding);
    let offset = match operations.next().ok()?? {
        Operation::FrameOffset { offset } => offset,
        Operation::RegisterOffset {
            register: gimli::X86_64::RSP,
            offset,
            ..
        } => offset,
        _ => return None,
    };
    matches!(operations.next(), Ok(None)).then_some(offset)
}
