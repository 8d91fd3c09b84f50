//! Where variables are, seen from a frame of a thread, from a thread, or from nowhere in particular
//! (globals).

use gimli::{
    AttributeValue, DebugAddrIndex, DebugInfoOffset, DieReference, Expression, UnitOffset, Value,
    ValueType,
};

use super::call_site;
use crate::location::{
    Absence, Fetched, Memory, Place, Surroundings, evaluate, evaluate_to_value, fetch, retyped,
    thread_local_address,
};
use crate::registers::{Register, Registers};
use crate::types::Constant;
use crate::unwind::{Activation, AddressSpace, LoadedModule, Stack};
use crate::variable::{Variable, VariableLocation};
use crate::{DieId, Reader, SymbolsError, Unit, UnitId};

/// Location descriptions that refer to others, deeper than any compiler writes them.
const MOST_REFERENCES: u8 = 32;

/// From where a variable is looked at.
#[derive(Clone, Copy)]
pub struct Viewpoint<'a> {
    pub(super) space: &'a dyn AddressSpace,
    /// The module that describes the variable.
    pub(super) loaded: &'a LoadedModule,
    frame: Option<(&'a Stack, usize)>,
    fs_base: Option<u64>,
    depth: u8,
}

impl<'a> Viewpoint<'a> {
    /// From nowhere: globals and constants.
    pub fn global(space: &'a dyn AddressSpace, loaded: &'a LoadedModule) -> Viewpoint<'a> {
        Viewpoint {
            space,
            loaded,
            frame: None,
            fs_base: None,
            depth: 0,
        }
    }

    /// From a thread: globals and thread-locals of any module.
    pub fn thread(
        space: &'a dyn AddressSpace,
        loaded: &'a LoadedModule,
        registers: &Registers,
    ) -> Viewpoint<'a> {
        Viewpoint {
            fs_base: registers.get(Register::FS_BASE),
            ..Viewpoint::global(space, loaded)
        }
    }

    /// From a frame, given as the index of its activation: locals too. `None` where no module has
    /// the frame's code.
    pub fn frame(
        space: &'a dyn AddressSpace,
        stack: &'a Stack,
        activation: usize,
    ) -> Option<Viewpoint<'a>> {
        let this = stack.activations.get(activation)?;
        let loaded = this.module.as_ref()?;
        Some(Viewpoint {
            frame: Some((stack, activation)),
            ..Viewpoint::thread(space, loaded, &this.registers)
        })
    }

    /// The place of a variable.
    pub fn place_of(&self, variable: &Variable) -> Place {
        let place = match &variable.location {
            VariableLocation::OptimisedOut => Err(Absence::OptimisedOut),
            VariableLocation::Constant(Constant::Integer(value)) => {
                Ok(Place::Value(value.to_le_bytes().to_vec()))
            }
            VariableLocation::Constant(Constant::Bytes(bytes)) => Ok(Place::Value(bytes.to_vec())),
            VariableLocation::Expression(bytes) => self.evaluate(variable.die.unit, bytes, None),
            VariableLocation::List(list) => self.evaluate_list(variable.die.unit, *list),
        };
        place.into()
    }

    /// The place of the variable that an entry describes: the target of an implicit pointer.
    pub fn place_of_entry(&self, entry: DieId) -> Place {
        let Some(deeper) = self.deeper() else {
            return Place::Absent(Absence::Circular);
        };
        match deeper.loaded.module.variable(entry) {
            Ok(variable) => deeper.place_of(&variable),
            Err(error) => Place::Absent(damaged(error)),
        }
    }

    /// Runs an expression of a unit, with an initial value on the stack where it wants one.
    pub fn evaluate(
        &self,
        unit: UnitId,
        expression: &[u8],
        initial: Option<u64>,
    ) -> Result<Place, Absence> {
        let within = self.within(unit)?;
        let encoding = within.unit.unit.encoding();
        let expression = Expression(Reader::new(expression, gimli::LittleEndian));
        evaluate(expression, encoding, initial, &within)
    }

    /// The bytes of a value of this size at a place; an implicit pointer has none.
    pub fn fetch(&self, place: &Place, size: usize) -> Result<Fetched, Absence> {
        let none = Registers::unknown();
        let registers = self.activation().map_or(&none, |this| &this.registers);
        fetch(place, size, registers, self.space.memory())
    }

    /// The frame, if it is a viewpoint from one.
    pub fn activation(&self) -> Option<&'a Activation> {
        let (stack, index) = self.frame?;
        stack.activations.get(index)
    }

    /// The same from the caller's frame.
    pub(super) fn caller(&self) -> Option<Viewpoint<'a>> {
        let (stack, index) = self.frame?;
        let mut caller = Viewpoint::frame(self.space, stack, index + 1)?;
        caller.depth = self.depth.checked_add(1)?;
        (caller.depth < MOST_REFERENCES).then_some(caller)
    }

    fn deeper(&self) -> Option<Viewpoint<'a>> {
        let depth = self.depth + 1;
        (depth < MOST_REFERENCES).then_some(Viewpoint { depth, ..*self })
    }

    fn evaluate_list(
        &self,
        unit: UnitId,
        list: gimli::LocationListsOffset<usize>,
    ) -> Result<Place, Absence> {
        let within = self.within(unit)?;
        let activation = self.activation().ok_or(Absence::NoFrame)?;
        let at = |pc: u64| {
            let expression = within.choose(list, pc)?;
            evaluate(expression, within.unit.unit.encoding(), None, &within)
        };
        let place = at(activation.lookup_pc());
        // What the called function may have overwritten is described anew where it returns to: if the
        // compiler kept a copy, that is where the copy is now.
        if !activation.pc_is_exact
            && place.as_ref().is_ok_and(Place::is_overwritten)
            && let Ok(kept) = at(activation.pc)
            && kept.is_kept()
        {
            return Ok(kept);
        }
        place
    }

    pub(super) fn within(&self, unit: UnitId) -> Result<Within<'a>, Absence> {
        Ok(Within {
            viewpoint: *self,
            unit: self.loaded.module.unit(unit).map_err(damaged)?,
        })
    }
}

pub(super) fn damaged(_error: SymbolsError) -> Absence {
    Absence::Damaged(gimli::Error::MissingUnitDie)
}

/// A viewpoint and the unit whose expression is run.
pub(super) struct Within<'a> {
    viewpoint: Viewpoint<'a>,
    pub unit: Unit<'a>,
}

impl<'a> Within<'a> {
    /// The expression of a location list that holds at a pc.
    pub fn choose(
        &self,
        list: gimli::LocationListsOffset<usize>,
        pc: u64,
    ) -> Result<Expression<Reader<'a>>, Absence> {
        let pc = self.viewpoint.loaded.address(pc).0;
        let mut entries = self.unit.unit_ref().locations(list)?;
        while let Some(entry) = entries.next()? {
            if entry.range.begin <= pc && pc < entry.range.end {
                return Ok(entry.data);
            }
        }
        Err(Absence::OptimisedOut)
    }

    /// The expression of a location attribute, chosen from its list where it has one.
    fn attribute_expression(
        &self,
        value: AttributeValue<Reader<'a>>,
    ) -> Result<Expression<Reader<'a>>, Absence> {
        match value {
            AttributeValue::Exprloc(expression) => Ok(expression),
            AttributeValue::Block(block) => Ok(Expression(block)),
            value => match self.unit.unit_ref().attr_locations_offset(value)? {
                Some(list) => {
                    let activation = self.viewpoint.activation().ok_or(Absence::NoFrame)?;
                    self.choose(list, activation.lookup_pc())
                }
                None => Err(Absence::OptimisedOut),
            },
        }
    }

    /// Runs an expression for its number.
    pub fn number(&self, expression: Expression<Reader<'a>>) -> Result<Value, Absence> {
        let encoding = self.unit.unit.encoding();
        let bytes = expression.0.slice();
        match evaluate_to_value(expression, encoding, None, self) {
            // The result of an expression that names no place counts as an address, which a
            // floating-point number cannot be: say that it is a value.
            Err(Absence::Damaged(gimli::Error::IntegralTypeRequired)) => {
                let mut bytes = bytes.to_vec();
                bytes.push(gimli::DW_OP_stack_value.0);
                let expression = Expression(Reader::new(&bytes, gimli::LittleEndian));
                // Seen from a viewpoint that lives no longer than these bytes.
                let viewpoint: Viewpoint<'_> = self.viewpoint;
                evaluate_to_value(expression, encoding, None, &viewpoint.within(self.unit.id)?)
            }
            result => result,
        }
    }

    /// Whether the unit comes from a compiler that knows which registers its own functions leave
    /// alone, and relies on it.
    fn trusts_volatile_registers(&self) -> bool {
        let Ok(root) = self.unit.unit.entry(self.unit.unit.header.root_offset()) else {
            return false;
        };
        let Some(value) = root.attr_value(gimli::DW_AT_producer) else {
            return false;
        };
        match self.unit.unit_ref().attr_string(value) {
            Ok(producer) => producer.slice().starts_with(b"GNU "),
            Err(_) => false,
        }
    }
}

impl<'a> Surroundings<Reader<'a>> for Within<'a> {
    fn memory(&self) -> &dyn Memory {
        self.viewpoint.space.memory()
    }

    fn register(&self, register: Register) -> Result<u128, Absence> {
        let activation = self.viewpoint.activation().ok_or(Absence::NoFrame)?;
        let registers = &activation.registers;
        if registers.is_assumed(register) && !self.trusts_volatile_registers() {
            return Err(Absence::NotSaved(register));
        }
        registers
            .get_wide(register)
            .ok_or(Absence::NotSaved(register))
    }

    fn frame_base(&self) -> Result<u64, Absence> {
        let activation = self.viewpoint.activation().ok_or(Absence::NoFrame)?;
        let viewpoint = self.viewpoint.deeper().ok_or(Absence::Circular)?;
        let loaded = viewpoint.loaded;
        let address = loaded.address(activation.lookup_pc());
        let described = loaded.module.frame_cache.described(&loaded.module, address);
        let function = described.functions.first().ok_or(Absence::NoFrame)?.scope;
        let within = viewpoint.within(function.unit)?;
        let entry = within.unit.unit.entry(function.unit_offset())?;
        let value = entry
            .attr_value(gimli::DW_AT_frame_base)
            .ok_or(Absence::Unsupported("function without a frame base"))?;
        let expression = within.attribute_expression(value)?;
        match evaluate(expression, within.unit.unit.encoding(), None, &within)? {
            Place::Memory(address) => Ok(address),
            Place::Register(register) => Ok(within.register(register)? as u64),
            Place::Absent(absence) => Err(absence),
            _ => Err(Absence::Unsupported("frame base that is not an address")),
        }
    }

    fn canonical_frame_address(&self) -> Result<u64, Absence> {
        let activation = self.viewpoint.activation().ok_or(Absence::NoFrame)?;
        activation
            .cfa
            .ok_or(Absence::Unsupported("frame without a frame address"))
    }

    fn relocate(&self, address: u64) -> u64 {
        address.wrapping_add(self.viewpoint.loaded.bias)
    }

    fn thread_local(&self, offset: u64) -> Result<u64, Absence> {
        let viewpoint = &self.viewpoint;
        Ok(thread_local_address(
            viewpoint.space,
            viewpoint.loaded,
            viewpoint.fs_base,
            offset,
        )?)
    }

    fn entry_value(&self, expression: Expression<Reader<'a>>) -> Result<Value, Absence> {
        let encoding = self.unit.unit.encoding();
        let named = call_site::register_named(&expression, encoding);
        let value = call_site::entry_value(&self.viewpoint, expression, encoding)?;
        match named {
            Some((_, base_type)) => Ok(retyped(value, self.base_type(base_type)?)),
            None => Ok(value),
        }
    }

    fn parameter(&self, parameter: UnitOffset) -> Result<Value, Absence> {
        call_site::parameter(&self.viewpoint, DieId::new(self.unit.id, parameter))
    }

    fn location_of(&self, entry: DieReference) -> Result<Reader<'a>, Absence> {
        let value = match entry {
            DieReference::UnitRef(offset) => AttributeValue::UnitRef(offset),
            DieReference::DebugInfoRef(offset) => AttributeValue::DebugInfoRef(offset),
        };
        let module = &self.viewpoint.loaded.module;
        let die = module
            .resolve(self.unit.id, value)
            .map_err(damaged)?
            .ok_or(Absence::OptimisedOut)?;
        let other = self.viewpoint.within(die.unit)?;
        let entry = other.unit.unit.entry(die.unit_offset())?;
        match entry.attr_value(gimli::DW_AT_location) {
            Some(value) => Ok(other.attribute_expression(value)?.0),
            // The standard says: a call of an entry without a location does nothing.
            None => Ok(Reader::new(&[], gimli::LittleEndian)),
        }
    }

    fn base_type(&self, entry: UnitOffset) -> Result<ValueType, Absence> {
        if entry.0 == 0 {
            return Ok(ValueType::Generic);
        }
        let entry = self.unit.unit.entry(entry)?;
        let constant = |name| match entry.attr_value(name) {
            Some(value) => value.udata_value(),
            None => None,
        };
        let encoding = match entry.attr_value(gimli::DW_AT_encoding) {
            Some(AttributeValue::Encoding(encoding)) => encoding,
            _ => {
                return Err(Absence::Unsupported(
                    "operation with a type that is not a number",
                ));
            }
        };
        let size = constant(gimli::DW_AT_byte_size).unwrap_or(0);
        ValueType::from_encoding(encoding, size)
            .ok_or(Absence::Unsupported("operation with a number of this size"))
    }

    fn entry_at(&self, offset: DebugInfoOffset) -> Result<DieId, Absence> {
        self.viewpoint
            .loaded
            .module
            .resolve(self.unit.id, AttributeValue::DebugInfoRef(offset))
            .map_err(damaged)?
            .ok_or(Absence::OptimisedOut)
    }

    fn indexed_address(&self, index: DebugAddrIndex) -> Result<u64, Absence> {
        Ok(self.unit.unit_ref().address(index)?)
    }
}
