//! Evaluates a parsed expression. Values are places until their bytes are needed, so that `&array`
//! reads nothing.

mod arithmetic;
mod assign;
mod cast;
mod class_cast;
mod library;
mod literals;
mod members;
mod methods;
mod operators;
mod overloads;
mod read;
mod rust_literals;
mod subscript;
mod type_syntax;

use wayfarer_symbols::types::{Encoding, PointerKind};

use crate::number::{Number, Scalar};
use crate::scope::{EvaluationError, Scope};
use crate::syntax::{BinaryOperator, Expression, Language, Node, TypeSyntax, UnaryOperator};
use crate::types::{MadeType, Shape, TypeRef};
use crate::value::Value;

pub(crate) use arithmetic::{common, promote};
pub(crate) use cast::cast;
pub(crate) use literals::c_integer;
pub(crate) use members::{active_variant, base_value, field_of, member_value, static_member};
pub(crate) use read::{bits_of, contents, contents_or_absence, number_of, pointer_of, read_bytes};
pub(crate) use type_syntax::resolve_type;

/// The bytes of a value, read now.
pub fn bytes(value: &Value, scope: &mut dyn Scope) -> Evaluated<Vec<u8>> {
    contents(value, scope).map(|fetched| fetched.bytes.clone())
}

/// What an evaluation ends with.
type Evaluated<T = Value> = Result<T, EvaluationError>;

/// The value of an expression; assignments and calls in it take effect.
pub fn evaluate(expression: &Expression, scope: &mut dyn Scope) -> Evaluated {
    let mut evaluator = Evaluator {
        scope,
        language: expression.language,
        effects: true,
    };
    evaluator.value(&expression.root)
}

/// What an expression is for `whatis` and `ptype`: the type of its value or the type it names.
/// Nothing is assigned or called.
pub fn type_of(expression: &Expression, scope: &mut dyn Scope) -> Evaluated<TypeOf> {
    let mut evaluator = Evaluator {
        scope,
        language: expression.language,
        effects: false,
    };
    evaluator.type_of(&expression.root)
}

/// The answer of [`type_of`].
#[derive(Clone, Debug)]
pub enum TypeOf {
    /// The expression has a value of this type.
    Value(TypeRef),
    /// The expression names this type.
    Type(TypeRef),
}

impl TypeOf {
    /// The type, either way.
    pub fn type_ref(&self) -> &TypeRef {
        match self {
            TypeOf::Value(type_ref) | TypeOf::Type(type_ref) => type_ref,
        }
    }
}

pub(crate) struct Evaluator<'a> {
    pub(crate) scope: &'a mut dyn Scope,
    pub(crate) language: Language,
    /// Whether assignments and calls are carried out.
    effects: bool,
}

impl Evaluator<'_> {
    fn type_of(&mut self, node: &Node) -> Evaluated<TypeOf> {
        match node {
            Node::Type(syntax) => Ok(TypeOf::Type(self.resolve(syntax)?)),
            Node::Name(name)
                if self.scope.prefers_type(name)
                    && let Some(found) = self.named_type(name) =>
            {
                Ok(TypeOf::Type(found))
            }
            Node::Name(name) => match self.name(name) {
                // A constructor has the name of its class, and the class is what is meant.
                Ok(value)
                    if self.language == Language::Cpp
                        && matches!(value.type_ref.shape(), Shape::Function { .. }) =>
                {
                    match self.named_type(name) {
                        Some(found) => Ok(TypeOf::Type(found)),
                        None => Ok(TypeOf::Value(value.type_ref)),
                    }
                }
                Ok(value) => Ok(TypeOf::Value(value.type_ref)),
                Err(error) => match self.named_type(name) {
                    Some(found) => Ok(TypeOf::Type(found)),
                    None => Err(error),
                },
            },
            _ => Ok(TypeOf::Value(self.value(node)?.type_ref)),
        }
    }

    fn named_type(&mut self, name: &str) -> Option<TypeRef> {
        let syntax = TypeSyntax::Named {
            keyword: None,
            name: name.to_string(),
        };
        resolve_type(&syntax, self.language, self.scope).ok()
    }

    pub(crate) fn resolve(&mut self, syntax: &TypeSyntax) -> Evaluated<TypeRef> {
        if let TypeSyntax::TypeOf(node) = syntax {
            return Ok(self.type_of(node)?.type_ref().clone());
        }
        resolve_type(syntax, self.language, self.scope)
    }

    pub(crate) fn value(&mut self, node: &Node) -> Evaluated {
        match node {
            Node::Integer {
                value,
                suffix,
                decimal,
            } => self.integer(*value, *suffix, *decimal),
            Node::Float { value, bytes } => Ok(self.float(*value, *bytes)),
            Node::Character { value, bytes } => Ok(self.character(*value, *bytes)),
            Node::Text(bytes) => Ok(self.text(bytes)),
            Node::Boolean(truth) => Ok(self.boolean(*truth)),
            Node::Name(name) => self.name(name),
            Node::Scoped(scope, inner) => self.scoped(scope, inner),
            Node::Dollar(name) => match self.scope.dollar(name)? {
                Some(value) => Ok(value),
                None => Ok(Value::computed(TypeRef::Void, Vec::new())),
            },
            Node::History(entry) => match self.scope.history(*entry) {
                Some(value) => Ok(value),
                None => match entry {
                    crate::syntax::History::Absolute(number) => Err(EvaluationError::invalid(
                        format!("History has not yet reached ${number}."),
                    )),
                    crate::syntax::History::Last(_) => {
                        Ok(Value::computed(TypeRef::Void, Vec::new()))
                    }
                },
            },
            Node::Unary(operator, operand) => self.unary(*operator, operand),
            Node::Binary(operator, left, right) => self.binary(*operator, left, right),
            Node::Assign(operator, target, source) => self.assign(*operator, target, source),
            Node::Postfix(operator, target) => {
                let before = self.value(target)?;
                let before = self.loaded(before)?;
                self.step(*operator, target)?;
                Ok(before)
            }
            Node::Conditional(condition, chosen, other) => {
                let condition = self.value(condition)?;
                if self.truth(&condition)? {
                    self.value(chosen)
                } else {
                    self.value(other)
                }
            }
            Node::Cast(syntax, operand) => {
                let target = self.resolve(syntax)?;
                let value = match &**operand {
                    Node::Call(function, arguments) => {
                        self.call(function, arguments, Some(&target))?
                    }
                    operand => self.value(operand)?,
                };
                cast(&value, &target, self.scope)
            }
            Node::Field(base, name) | Node::Arrow(base, name) => {
                let base = self.value(base)?;
                self.field(&base, name)
            }
            Node::Index(base, index) => {
                let base = self.value(base)?;
                let index = self.value(index)?;
                match self.index(&base, &index) {
                    Ok(value) => Ok(value),
                    Err(error) => self.own_operator("[]", &[base, index])?.ok_or(error),
                }
            }
            Node::Slice {
                base,
                from,
                to,
                inclusive,
            } => self.slice(base, from.as_deref(), to.as_deref(), *inclusive),
            Node::Repeat(base, count) => self.repeat(base, count),
            Node::Array(elements) => self.array_literal(elements),
            Node::ArrayOf(value, count) => self.repeated_literal(value, count),
            Node::Structure(literal) => self.structure_literal(literal),
            Node::Call(function, arguments) => self.call(function, arguments, None),
            Node::SizeOf(operand) => self.size_of(operand),
            Node::AlignOf(operand) => {
                let alignment = self.type_of(operand)?.type_ref().alignment();
                Ok(self.made_integer("unsigned long", i128::from(alignment)))
            }
            Node::Type(_) => Err(EvaluationError::invalid(
                "Attempt to use a type name as an expression",
            )),
            Node::At(syntax, address) => {
                let target = self.resolve(syntax)?;
                let address = self.value(address)?;
                let address = pointer_of(&address, self.scope)?;
                Ok(Value::in_memory(target, address))
            }
        }
    }

    fn name(&mut self, name: &str) -> Evaluated {
        let mut value = self.find(name)?;
        value.type_ref = crate::print::with_lengths(&value.type_ref, self.scope);
        Ok(value)
    }

    fn find(&mut self, name: &str) -> Evaluated {
        let found = self.scope.variable(name)?;
        if let Some(value) = &found
            && !self.scope.is_global(name)
        {
            return Ok(value.clone());
        }
        if self.language == Language::Cpp
            && name != "this"
            && let Ok(Some(this)) = self.scope.variable("this")
            && let Ok(member) = self.field(&this, name)
        {
            return Ok(member);
        }
        if let Some(value) = found {
            return Ok(value);
        }
        // `function::variable`: the last part is the variable.
        if let Some((scope, last)) = name.rsplit_once("::") {
            if let Some(value) = self.scope.scoped_variable(scope, last)? {
                return Ok(value);
            }
            if let Some(class) = self.named_type(scope) {
                if let Some(value) = self.static_member(&class, last)? {
                    return Ok(value);
                }
                // Rust's enumerators are named by their type.
                if let Shape::Enumeration(enumeration) = class.shape()
                    && let Some(found) = enumeration
                        .enumerators
                        .iter()
                        .find(|one| &*one.name == last)
                {
                    return Ok(encode(class, Number::Integer(found.value)));
                }
            }
        }
        Err(EvaluationError::NoSymbol(name.to_string()))
    }

    fn scoped(&mut self, scope: &str, inner: &Node) -> Evaluated {
        let Node::Name(name) = inner else {
            return Err(EvaluationError::invalid("A name is missing after `::'."));
        };
        match self.scope.scoped_variable(scope, name)? {
            Some(value) => Ok(value),
            None => Err(EvaluationError::NoSymbol(format!("{scope}::{name}"))),
        }
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Node) -> Evaluated {
        match operator {
            UnaryOperator::AddressOf => self.address_of(operand),
            UnaryOperator::Increment => self.step(BinaryOperator::Add, operand),
            UnaryOperator::Decrement => self.step(BinaryOperator::Subtract, operand),
            UnaryOperator::Dereference => {
                let value = self.value(operand)?;
                let result = self.dereference(&value);
                self.or_own(operator, &value, result)
            }
            UnaryOperator::Not => {
                let value = self.value(operand)?;
                let bitwise = self.language == Language::Rust
                    && !matches!(value.type_ref.shape(),
                        Shape::Base(base) if base.encoding == Encoding::Boolean);
                if bitwise {
                    return self.arithmetic_unary(UnaryOperator::Complement, &value);
                }
                let truth = self.truth(&value)?;
                Ok(self.boolean(!truth))
            }
            UnaryOperator::Negate | UnaryOperator::Plus | UnaryOperator::Complement => {
                let value = self.value(operand)?;
                let result = self.arithmetic_unary(operator, &value);
                self.or_own(operator, &value, result)
            }
        }
    }

    /// A result, or what the program's own operator gives where there is none.
    fn or_own(&mut self, operator: UnaryOperator, operand: &Value, result: Evaluated) -> Evaluated {
        match result {
            Ok(value) => Ok(value),
            Err(error) => {
                let symbol = operator.symbol();
                let own = self.own_operator(symbol, std::slice::from_ref(operand))?;
                own.ok_or(error)
            }
        }
    }

    fn address_of(&mut self, operand: &Node) -> Evaluated {
        // `&x[..]` is the slice itself for a reader.
        if let Node::Slice { .. } = operand {
            return self.value(operand);
        }
        let value = self.value(operand)?;
        if let Shape::Pointer {
            kind: PointerKind::Reference | PointerKind::RvalueReference,
            target,
            ..
        } = value.type_ref.shape()
            && self.language != Language::Rust
        {
            let address = pointer_of(&value, self.scope)?;
            return Ok(pointer_value(&target, address));
        }
        if value.bits.is_some() {
            return Err(EvaluationError::invalid(
                "Attempt to take address of value not located in memory.",
            ));
        }
        match value.address() {
            Some(address) => Ok(pointer_value(&value.type_ref, address)),
            None => Err(EvaluationError::invalid(match &value.place {
                wayfarer_symbols::location::Place::Register(register) => {
                    format!("Address requested for identifier which is in register ${register}")
                }
                _ => "Attempt to take address of value not located in memory.".to_string(),
            })),
        }
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Node, right: &Node) -> Evaluated {
        match operator {
            BinaryOperator::And | BinaryOperator::Or => {
                let left = self.value(left)?;
                let truth = self.truth(&left)?;
                if truth == (operator == BinaryOperator::Or) {
                    return Ok(self.boolean(truth));
                }
                let right = self.value(right)?;
                let truth = self.truth(&right)?;
                Ok(self.boolean(truth))
            }
            BinaryOperator::Comma => {
                self.value(left)?;
                self.value(right)
            }
            _ => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                match self.arithmetic(operator, &left, &right) {
                    Ok(value) => Ok(value),
                    Err(error) => {
                        let symbol = operator.symbol();
                        let own = self.own_operator(symbol, &[left, right])?;
                        own.ok_or(error)
                    }
                }
            }
        }
    }

    /// A call; `declared` is the type to which its result is cast, which counts where nothing says what it returns.
    fn call(
        &mut self,
        function: &Node,
        arguments: &[Node],
        declared: Option<&TypeRef>,
    ) -> Evaluated {
        if self.language == Language::Rust
            && let Node::Name(name) = function
            && self.scope.variable(name)?.is_none()
            && let Some(value) = self.tuple_literal(name, arguments)
        {
            return value;
        }
        // `sizeof`-like words of Rust and casts in the form of a call: `u32(x)`, `point(x)`.
        if let Node::Name(name) = function
            && let [operand] = arguments
            && self.scope.variable(name)?.is_none()
            && let Some(target) = self.named_type(name)
        {
            let value = self.value(operand)?;
            return cast(&value, &target, self.scope);
        }
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(self.value(argument)?);
        }
        let (mut callee, this) = match self.callee(function, &given) {
            Ok((object, None)) if matches!(object.type_ref.shape(), Shape::Aggregate(_)) => {
                let mut operands = vec![object];
                operands.append(&mut given);
                let value = self.own_operator("()", &operands)?;
                return value.ok_or_else(|| {
                    EvaluationError::invalid("Invalid data type for function to be called.")
                });
            }
            Ok(found) if target_function(&found.0.type_ref).is_some() => found,
            // What the libraries' own methods say is known without calling them.
            result => match self.library_method(function, arguments)? {
                Some(value) => return Ok(value),
                None => result?,
            },
        };
        if let (Some(declared), Some(Shape::Function { result, .. })) =
            (declared, target_function(&callee.type_ref))
            && matches!(result.shape(), Shape::Named(_))
        {
            callee.type_ref = TypeRef::Made(std::sync::Arc::new(MadeType::Function {
                result: declared.clone(),
                parameters: Vec::new(),
            }));
        }
        let mut values: Vec<Value> = this.into_iter().collect();
        values.append(&mut given);
        self.run(&callee, &values)
    }

    fn size_of(&mut self, operand: &Node) -> Evaluated {
        let found = self.type_of(operand)?;
        let mut type_ref = found.type_ref().clone();
        if let Shape::Pointer {
            kind: PointerKind::Reference | PointerKind::RvalueReference,
            target,
            ..
        } = type_ref.shape()
            && self.language != Language::Rust
        {
            type_ref = target;
        }
        let size = match type_ref.shape() {
            Shape::Void => 1,
            _ => type_ref.size().unwrap_or(0),
        };
        Ok(self.made_integer("unsigned long", i128::from(size)))
    }

    /// Whether a value counts as true.
    pub(crate) fn truth(&mut self, value: &Value) -> Evaluated<bool> {
        let value = self.through_reference(value.clone())?;
        if matches!(
            value.type_ref.shape(),
            Shape::Function { .. } | Shape::Array { .. }
        ) {
            return Ok(true);
        }
        Ok(!number_of(&value, self.scope)?.is_zero())
    }

    /// What a reference refers to; other values as they are.
    pub(crate) fn through_reference(&mut self, value: Value) -> Evaluated {
        match value.type_ref.shape() {
            Shape::Pointer {
                kind: PointerKind::Reference | PointerKind::RvalueReference,
                target,
                ..
            } => {
                let address = pointer_of(&value, self.scope)?;
                Ok(Value::in_memory(target, address))
            }
            _ => Ok(value),
        }
    }

    /// The value with its bytes, so that a later change of the program does not change it.
    pub(crate) fn loaded(&mut self, value: Value) -> Evaluated {
        let fetched = contents(&value, self.scope)?;
        Ok(value.with_contents((*fetched).clone()))
    }
}

/// A computed scalar of a type.
pub(crate) fn encode(type_ref: TypeRef, number: Number) -> Value {
    let bytes = match Scalar::of(&type_ref) {
        Some(scalar) => scalar.encode(number),
        None => Vec::new(),
    };
    Value::computed(type_ref, bytes)
}

/// A computed pointer to something of a type.
pub(crate) fn pointer_value(target: &TypeRef, address: u64) -> Value {
    Value::computed(target.pointer(), address.to_le_bytes().to_vec())
}

/// The function that a function or a pointer to one is.
pub(crate) fn target_function(type_ref: &TypeRef) -> Option<Shape> {
    match type_ref.shape() {
        shape @ Shape::Function { .. } => Some(shape),
        Shape::Pointer { target, .. } => match target.shape() {
            shape @ Shape::Function { .. } => Some(shape),
            _ => None,
        },
        _ => None,
    }
}
