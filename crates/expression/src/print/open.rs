//! Opens values up by one level, whatever they are.

use wayfarer_symbols::location::Place;

use super::form::{Around, Content, FieldStyle, Fields, Form, Label, Part, Parts};
use super::{Format, VECTOR, absent, registers, rules};
use crate::evaluate::contents_or_absence;
use crate::number::Scalar;
use crate::record::Record;
use crate::scope::Scope;
use crate::syntax::Language;
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

/// Opens values up, one level at a time.
pub(crate) struct Opener<'a> {
    pub(crate) scope: &'a mut dyn Scope,
    pub(crate) format: &'a Format,
    /// How many elements of a container that has to be walked are looked for.
    pub(super) elements: usize,
    /// Whether a look at the beginning of a thing is enough to know that it is there.
    pub(super) glances: bool,
}

impl<'a> Opener<'a> {
    /// For text: as many elements as the format says.
    pub(super) fn new(format: &'a Format, scope: &'a mut dyn Scope) -> Opener<'a> {
        Opener {
            scope,
            format,
            elements: format.limit(),
            glances: false,
        }
    }

    /// For trees: so many elements, and nothing is read only to see that it can be.
    pub(super) fn glancing(
        format: &'a Format,
        elements: usize,
        scope: &'a mut dyn Scope,
    ) -> Opener<'a> {
        Opener {
            scope,
            format,
            elements,
            glances: true,
        }
    }
}

impl Opener<'_> {
    /// What a value is made of; `top` puts the type before a pointer.
    pub(crate) fn form(&mut self, value: &Value, top: bool) -> Form {
        match &value.place {
            Place::Absent(absence) if is_nowhere(value) => return Form::Missing(absent(absence)),
            Place::ImplicitPointer { .. } => return Form::Text(self.synthetic(value, top)),
            _ => {}
        }
        let rust = value.type_ref.language() == Language::Rust;
        match value.type_ref.shape() {
            Shape::Void => Form::Text(if rust { "()" } else { "void" }.to_string()),
            Shape::Named(name) if &*name == "decltype(nullptr)" => {
                Form::Text("nullptr".to_string())
            }
            Shape::Named(name) => {
                Form::Text(format!("<{name}>").replace("<<", "<").replace(">>", ">"))
            }
            Shape::Aggregate(structure) => self.aggregate(value, &structure, top),
            Shape::Record(record) => self.record(value, &record),
            Shape::Array {
                element,
                count,
                is_vector,
            } => self.array(value, &element, count, is_vector),
            Shape::Pointer { kind, target, .. } => self.pointer(value, kind, &target, top),
            Shape::Function { .. } => Form::Text(self.function(value)),
            Shape::PointerToMember {
                target,
                class,
                size,
            } => self.pointer_to_member(value, &target, &class, size),
            Shape::Base(_) | Shape::Enumeration(_) => match self.bytes(value) {
                Ok(bytes) => self.scalar(value, &bytes),
                Err(missing) => Form::Missing(missing),
            },
        }
    }

    /// A number, a character, an enumerator, a register.
    fn scalar(&mut self, value: &Value, bytes: &[u8]) -> Form {
        Form::Text(match value.type_ref.shape() {
            Shape::Base(base) if &*base.name == VECTOR => return self.vector(value),
            Shape::Base(base)
                if &*base.name == registers::FLAGS && self.format.letter.is_none() =>
            {
                registers::flags(Scalar::integer(4, false).decode(bytes).as_integer())
            }
            Shape::Base(base) => self.base(value, &base, bytes),
            Shape::Enumeration(enumeration) => self.enumeration(value, &enumeration, bytes),
            _ => String::new(),
        })
    }

    /// A structure: by the program's own function, by a rule, or by its members.
    fn aggregate(&mut self, value: &Value, structure: &Structure, top: bool) -> Form {
        if self.format.custom
            && !self.format.raw
            && let Some(address) = value.address()
            && let Some(text) = self
                .scope
                .custom_print(&value.type_ref.plain_name(), address)
        {
            return Form::Titled(text, Box::new(self.members(value, structure)));
        }
        if top
            && self.format.object
            && let Some(address) = value.address()
            && let Some(whole) = self.whole_object(&value.type_ref, address)
        {
            return Form::Around(Around {
                before: format!("({}) ", whole.type_ref.name()),
                inner: whole,
                after: String::new(),
                deeper: false,
            });
        }
        if !self.format.raw
            && let Some(form) = rules::pretty(self, value, structure)
        {
            return form;
        }
        self.members(value, structure)
    }

    /// A structure by its members.
    fn members(&mut self, value: &Value, structure: &Structure) -> Form {
        match value.type_ref.language() {
            Language::Rust => self.rust_structure(value, structure),
            _ => self.class(value, structure),
        }
    }

    fn record(&mut self, value: &Value, record: &Record) -> Form {
        let whole = self.loaded(value);
        let parts = record.members.iter().map(|(name, offset, type_ref)| Part {
            label: Label::Member(Some(name.to_string())),
            content: Content::Value(whole.part(type_ref.clone(), *offset, None)),
        });
        Form::Fields(Fields {
            name: String::new(),
            style: FieldStyle::Record,
            parts: Parts::Listed(parts.collect()),
        })
    }

    /// The parts of a structure, found but not read.
    pub(super) fn parts(&mut self, parts: &Parts) -> Vec<Part> {
        match parts {
            Parts::Listed(parts) => parts.clone(),
            Parts::Members(value, structure) => self.rust_parts(value, structure),
        }
    }

    /// The bytes of a scalar, or what stands in its place.
    pub(crate) fn bytes(&mut self, value: &Value) -> Result<Vec<u8>, String> {
        let fetched = contents_or_absence(value, self.scope).map_err(|absence| absent(&absence))?;
        let bits = match value.bits {
            Some(bits) => bits.bit_offset..bits.bit_offset + bits.bit_size,
            None => 0..fetched.bytes.len() as u64 * 8,
        };
        match fetched.absence_of(bits) {
            Some(absence) => Err(absent(absence)),
            None => Ok(fetched.bytes.clone()),
        }
    }

    /// What stands in the place of a value whose bytes are not there.
    pub(crate) fn missing(&mut self, value: &Value) -> Option<String> {
        if self.glances
            && let (Some(address), None) = (value.address(), &value.contents)
            && value.type_ref.size().unwrap_or(0) > 0
        {
            let unreadable = self.scope.read(address, &mut [0]).err()?;
            return Some(absent(&unreadable.into()));
        }
        contents_or_absence(value, self.scope)
            .err()
            .map(|absence| absent(&absence))
    }
}

/// Whether values of a type have no bytes, so that there is nothing to optimise away: Rust's `()`.
fn is_nothing(type_ref: &TypeRef) -> bool {
    type_ref.language() == Language::Rust && type_ref.size() == Some(0)
}

/// Whether there is nothing that could be opened.
pub(super) fn is_nowhere(value: &Value) -> bool {
    match value.place {
        Place::Absent(_) => value.contents.is_none() && !is_nothing(&value.type_ref),
        Place::ImplicitPointer { .. } => true,
        _ => false,
    }
}
