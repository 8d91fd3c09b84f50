//! From an expression to code, with the same types and conversions as the evaluator.

use wayfarer_predicate::{Binary, Unary};
use wayfarer_symbols::registers::Register;

use super::code::Code;
use super::names::Names;
use super::operand::{
    Kind, Operand, arithmetic, compare, convert, dereference, is_boolean, load, member, pointee,
    scalar, stored, through_reference, wrapped,
};
use crate::evaluate::{common, promote};
use crate::number::{builtin, builtin_or_void};
use crate::syntax::{BinaryOperator, IntegerSuffix, Language, Node, TypeSyntax, UnaryOperator};
use crate::types::{Shape, TypeRef};

pub(super) struct Compiler<'a> {
    pub names: Names<'a>,
    pub language: Language,
    pub labels: usize,
}

impl Compiler<'_> {
    /// Code that leaves something other than zero if the condition holds.
    pub(super) fn condition(&mut self, node: &Node) -> Option<Code> {
        let operand = self.rvalue(node)?;
        self.truth(operand)
    }

    fn truth(&mut self, operand: Operand) -> Option<Code> {
        let scalar = scalar(&operand.type_ref)?;
        Some(operand.code.unary(if scalar.float {
            Unary::TruthFloat
        } else {
            Unary::Truth
        }))
    }

    /// The word of a value.
    fn rvalue(&mut self, node: &Node) -> Option<Operand> {
        let operand = self.operand(node)?;
        load(operand)
    }

    fn operand(&mut self, node: &Node) -> Option<Operand> {
        match node {
            Node::Integer {
                value,
                suffix,
                decimal,
            } => self.integer(*value, *suffix, *decimal),
            Node::Float { value, bytes } => {
                let name = match (self.language, bytes) {
                    (Language::Rust, 4) => "f32",
                    (Language::Rust, _) => "f64",
                    (_, 4) => "float",
                    (_, 8) => "double",
                    _ => return None,
                };
                Some(Operand::word(
                    builtin(name, self.language)?,
                    Code::constant(value.to_bits()),
                ))
            }
            Node::Character { value, bytes } => {
                let name = match (self.language, bytes) {
                    (Language::Rust, 1) => "u8",
                    (_, 1) | (Language::Rust, _) => "char",
                    _ => "wchar_t",
                };
                let type_ref = builtin(name, self.language)?;
                let word = scalar(&type_ref)?.wrap(i128::from(*value)) as u64;
                Some(Operand::word(type_ref, Code::constant(word)))
            }
            Node::Boolean(truth) => Some(Operand::word(
                self.boolean(),
                Code::constant(u64::from(*truth)),
            )),
            Node::Name(name) => self.name(name),
            Node::Dollar(name) => {
                let register = Register::by_name(name).filter(|register| register.size() == 8)?;
                Some(Operand::word(
                    builtin_or_void("long", Language::C),
                    Code::register(register.0),
                ))
            }
            Node::Unary(operator, operand) => self.unary(*operator, operand),
            Node::Binary(operator, left, right) => self.binary(*operator, left, right),
            Node::Conditional(condition, chosen, other) => {
                let condition = self.condition(condition)?;
                let chosen = self.rvalue(chosen)?;
                let other = self.rvalue(other)?;
                let type_ref = common(&chosen.type_ref, &other.type_ref, self.language).ok()?;
                let chosen = convert(chosen, &type_ref)?;
                let other = convert(other, &type_ref)?;
                let code = condition.choose(chosen, other, &mut self.labels);
                Some(Operand::word(type_ref, code))
            }
            Node::Cast(syntax, operand) => {
                let target = self.resolve(syntax)?;
                let operand = self.rvalue(operand)?;
                let code = if is_boolean(&target) {
                    self.truth(operand)?
                } else {
                    convert(operand, &target)?
                };
                Some(Operand::word(target, code))
            }
            Node::Field(base, name) | Node::Arrow(base, name) => {
                let base = self.operand(base)?;
                self.field(base, name)
            }
            Node::Index(base, index) => {
                let sum = self.add(base, index, Binary::Add)?;
                dereference(sum)
            }
            Node::At(syntax, address) => {
                let type_ref = self.resolve(syntax)?;
                let address = self.rvalue(address)?;
                Some(Operand {
                    type_ref,
                    code: address.code,
                    kind: Kind::Address,
                })
            }
            _ => None,
        }
    }

    fn boolean(&self) -> TypeRef {
        let name = match self.language {
            Language::C => "int",
            Language::Cpp | Language::Rust => "bool",
        };
        builtin_or_void(name, self.language)
    }

    fn integer(&mut self, value: u128, suffix: IntegerSuffix, decimal: bool) -> Option<Operand> {
        let word = u64::try_from(value).ok()?;
        let fits = |bits: u32| value >> bits == 0;
        let name = match (suffix, self.language) {
            (IntegerSuffix::Rust { bytes, signed }, _) => {
                let bits = if bytes == 0 { 64 } else { u32::from(bytes) * 8 };
                let letter = if signed { "i" } else { "u" };
                return Some(Operand::word(
                    builtin(&format!("{letter}{bits}"), Language::Rust)?,
                    Code::constant(word),
                ));
            }
            (_, Language::Rust) => {
                if fits(31) {
                    "i32"
                } else {
                    "i64"
                }
            }
            (IntegerSuffix::C { unsigned, long }, _) => {
                crate::evaluate::c_integer(value, unsigned, long > 0, decimal)?
            }
            (IntegerSuffix::None, _) => crate::evaluate::c_integer(value, false, false, decimal)?,
        };
        Some(Operand::word(
            builtin(name, self.language)?,
            Code::constant(word),
        ))
    }

    fn resolve(&mut self, syntax: &TypeSyntax) -> Option<TypeRef> {
        Some(match syntax {
            TypeSyntax::Named {
                keyword: None,
                name,
            } if builtin(name, self.language).is_some() => builtin(name, self.language)?,
            TypeSyntax::Named { keyword, name } => {
                self.names.type_named(keyword.as_deref(), name)?
            }
            TypeSyntax::Pointer(target) => self.resolve(target)?.pointer(),
            TypeSyntax::Const(target) | TypeSyntax::Volatile(target) => self.resolve(target)?,
            _ => return None,
        })
    }

    fn name(&mut self, name: &str) -> Option<Operand> {
        if let Some(local) = self.names.local(name) {
            let (type_ref, storage) = local?;
            return stored(type_ref, storage);
        }
        if self.language == Language::Cpp
            && name != "this"
            && let Some(this) = self.name("this")
            && let Some(member) = self.field(this, name)
        {
            return Some(member);
        }
        let (type_ref, storage) = self.names.global(name)?;
        stored(type_ref, storage)
    }

    fn field(&mut self, base: Operand, name: &str) -> Option<Operand> {
        let mut base = through_reference(base)?;
        for _ in 0..4 {
            if !matches!(base.type_ref.shape(), Shape::Pointer { .. }) {
                break;
            }
            base = dereference(load(base)?)?;
        }
        let name = match name.bytes().all(|byte| byte.is_ascii_digit()) {
            true => format!("__{name}"),
            false => name.to_string(),
        };
        let (type_ref, offset, bits) = member(&base.type_ref, &name, 0)?;
        if base.kind != Kind::Address {
            return None;
        }
        let kind = match bits {
            Some(bits) => Kind::Bits(bits),
            None => Kind::Address,
        };
        Some(Operand {
            type_ref,
            code: base.code.plus(offset),
            kind,
        })
    }

    fn unary(&mut self, operator: UnaryOperator, node: &Node) -> Option<Operand> {
        match operator {
            UnaryOperator::Dereference => {
                let operand = self.rvalue(node)?;
                dereference(operand)
            }
            UnaryOperator::AddressOf => {
                let operand = through_reference(self.operand(node)?)?;
                match operand.kind {
                    Kind::Address => {
                        let pointer = operand.type_ref.pointer();
                        Some(Operand::word(pointer, operand.code))
                    }
                    _ => None,
                }
            }
            UnaryOperator::Not => {
                let operand = self.rvalue(node)?;
                if self.language == Language::Rust && !is_boolean(&operand.type_ref) {
                    return self.complement(operand);
                }
                let code = self.truth(operand)?.unary(Unary::Not);
                Some(Operand::word(self.boolean(), code))
            }
            UnaryOperator::Complement => {
                let operand = self.rvalue(node)?;
                self.complement(operand)
            }
            UnaryOperator::Negate => {
                let operand = self.rvalue(node)?;
                let type_ref = promote(&operand.type_ref, self.language).ok()?;
                let float = scalar(&type_ref)?.float;
                let code = convert(operand, &type_ref)?;
                let code = if float {
                    code.unary(Unary::NegateFloat)
                } else {
                    wrapped(code.unary(Unary::Negate), &type_ref)?
                };
                Some(Operand::word(type_ref, code))
            }
            UnaryOperator::Plus => self.rvalue(node),
            UnaryOperator::Increment | UnaryOperator::Decrement => None,
        }
    }

    fn complement(&mut self, operand: Operand) -> Option<Operand> {
        let type_ref = promote(&operand.type_ref, self.language).ok()?;
        if scalar(&type_ref)?.float {
            return None;
        }
        let code = convert(operand, &type_ref)?.unary(Unary::Complement);
        Some(Operand::word(type_ref.clone(), wrapped(code, &type_ref)?))
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Node, right: &Node) -> Option<Operand> {
        match operator {
            BinaryOperator::And | BinaryOperator::Or => {
                let left = self.condition(left)?;
                let right = self.condition(right)?;
                let code = left.logic(right, operator == BinaryOperator::Or, &mut self.labels);
                Some(Operand::word(self.boolean(), code))
            }
            BinaryOperator::Comma => None,
            BinaryOperator::Add => self.add(left, right, Binary::Add),
            BinaryOperator::Subtract => self.add(left, right, Binary::Subtract),
            _ => {
                let left = self.rvalue(left)?;
                let right = self.rvalue(right)?;
                self.numeric(operator, left, right)
            }
        }
    }

    /// Sums and differences, with pointers counted in elements.
    fn add(&mut self, left: &Node, right: &Node, operation: Binary) -> Option<Operand> {
        let mut left = self.rvalue(left)?;
        let mut right = self.rvalue(right)?;
        let mut target = pointee(&left.type_ref);
        if target.is_none() && operation == Binary::Add && pointee(&right.type_ref).is_some() {
            std::mem::swap(&mut left, &mut right);
            target = pointee(&left.type_ref);
        }
        let Some(target) = target else {
            let operator = match operation {
                Binary::Add => BinaryOperator::Add,
                _ => BinaryOperator::Subtract,
            };
            return self.numeric(operator, left, right);
        };
        if scalar(&right.type_ref)?.float || pointee(&right.type_ref).is_some() {
            return None;
        }
        let size = target.size().unwrap_or(1).max(1);
        let distance = right.code.binary(Code::constant(size), Binary::Multiply);
        Some(Operand::word(
            left.type_ref,
            left.code.binary(distance, operation),
        ))
    }

    fn numeric(
        &mut self,
        operator: BinaryOperator,
        left: Operand,
        right: Operand,
    ) -> Option<Operand> {
        let pointers = pointee(&left.type_ref).is_some() || pointee(&right.type_ref).is_some();
        let shifts = matches!(
            operator,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight
        );
        let type_ref = if pointers && operator.compares() {
            builtin_or_void("unsigned long", Language::C)
        } else if shifts {
            // The distance of a shift need not be checked where it is known.
            promote(&left.type_ref, self.language).ok()?
        } else {
            common(&left.type_ref, &right.type_ref, self.language).ok()?
        };
        let scalar = scalar(&type_ref)?;
        let left = convert(left, &type_ref)?;
        let right = if shifts {
            right.code
        } else {
            convert(right, &type_ref)?
        };
        let boolean = self.boolean();
        let comparison = |code| Some(Operand::word(boolean.clone(), code));
        if operator.compares() {
            let (swapped, operation) = compare(operator, scalar);
            return comparison(if swapped {
                right.binary(left, operation)
            } else {
                left.binary(right, operation)
            });
        }
        let operation = arithmetic(operator, scalar)?;
        let mut code = left.binary(right, operation);
        if scalar.float {
            if scalar.bytes == 4 {
                code = code.unary(Unary::RoundToSingle);
            }
        } else {
            code = wrapped(code, &type_ref)?;
        }
        Some(Operand::word(type_ref, code))
    }
}
