//! Arithmetic and comparison, with each language's rules for the type of the result.

use super::{Evaluated, Evaluator, contents, encode, number_of, pointer_of, read_bytes};
use crate::number::{Number, Scalar, builtin_or_void};
use crate::print::sequence_of;
use crate::scope::EvaluationError;
use crate::syntax::{BinaryOperator, Language, UnaryOperator};
use crate::types::{Shape, TypeRef};
use crate::value::Value;

/// How the names of the libraries' strings begin.
const STRINGS: [&str; 5] = [
    "std::__cxx11::basic_string<char,",
    "std::basic_string_view<char,",
    "alloc::string::String",
    "&str",
    "&mut str",
];

impl Evaluator<'_> {
    pub(super) fn arithmetic_unary(&mut self, operator: UnaryOperator, value: &Value) -> Evaluated {
        let value = self.through_reference(value.clone())?;
        let number = number_of(&value, self.scope)?;
        let type_ref = promote(&value.type_ref, self.language)?;
        let scalar = scalar(&type_ref)?;
        let result = match (operator, number) {
            (UnaryOperator::Negate, Number::Integer(integer)) => {
                Number::Integer(scalar.wrap(integer.wrapping_neg()))
            }
            (UnaryOperator::Negate, Number::Float(float)) => Number::Float(-float),
            (UnaryOperator::Complement, Number::Integer(integer)) => {
                Number::Integer(scalar.wrap(!integer))
            }
            (UnaryOperator::Complement, Number::Float(_)) => {
                return Err(EvaluationError::invalid(
                    "Argument to complement operation not an integer, boolean.",
                ));
            }
            (_, number) => number,
        };
        Ok(encode(type_ref, result))
    }

    pub(super) fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
    ) -> Evaluated {
        let left = self.through_reference(left.clone())?;
        let right = self.through_reference(right.clone())?;
        if matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual)
            && let Some(is_equal) = self.same_text(&left, &right)?
        {
            return Ok(self.boolean(is_equal == (operator == BinaryOperator::Equal)));
        }
        let (points_left, points_right) = (pointee(&left.type_ref), pointee(&right.type_ref));
        if operator.compares() && (points_left.is_some() || points_right.is_some()) {
            let one = pointer_of(&left, self.scope)?;
            let other = pointer_of(&right, self.scope)?;
            let ordering = Some(one.cmp(&other));
            return Ok(self.boolean(compare(operator, ordering)));
        }
        match (operator, points_left, points_right) {
            (BinaryOperator::Add, Some(target), None) => self.offset(&left, &target, &right, 1),
            (BinaryOperator::Add, None, Some(target)) => self.offset(&right, &target, &left, 1),
            (BinaryOperator::Subtract, Some(target), None) => {
                self.offset(&left, &target, &right, -1)
            }
            (BinaryOperator::Subtract, Some(target), Some(_)) => {
                let one = pointer_of(&left, self.scope)?;
                let other = pointer_of(&right, self.scope)?;
                let size = target.size().unwrap_or(1).max(1) as i64;
                let distance = (one.wrapping_sub(other) as i64).wrapping_div(size);
                Ok(self.made_integer("long", i128::from(distance)))
            }
            _ => self.numeric(operator, &left, &right),
        }
    }

    /// Whether two texts are the same; `None` unless one of them is a string of the library.
    fn same_text(&mut self, left: &Value, right: &Value) -> Evaluated<Option<bool>> {
        let is_string = |value: &Value| match value.type_ref.shape() {
            Shape::Aggregate(structure) => structure
                .qualified_name
                .as_deref()
                .is_some_and(|name| STRINGS.iter().any(|known| name.starts_with(known))),
            _ => false,
        };
        if !is_string(left) && !is_string(right) {
            return Ok(None);
        }
        match (self.text_of(left)?, self.text_of(right)?) {
            (Some(one), Some(other)) => Ok(Some(one == other)),
            _ => Ok(None),
        }
    }

    /// The bytes of a string, without the nul that ends C's.
    fn text_of(&mut self, value: &Value) -> Evaluated<Option<Vec<u8>>> {
        if let Shape::Array { element, .. } = value.type_ref.shape()
            && element.size() == Some(1)
        {
            let mut bytes = contents(value, self.scope)?.bytes.clone();
            if self.language != Language::Rust && bytes.last() == Some(&0) {
                bytes.pop();
            }
            return Ok(Some(bytes));
        }
        match sequence_of(value, self.scope) {
            Some((element, address, count)) if element.size() == Some(1) => {
                Ok(Some(read_bytes(address, count, self.scope)?))
            }
            _ => Ok(None),
        }
    }

    fn offset(&mut self, base: &Value, target: &TypeRef, count: &Value, sign: i128) -> Evaluated {
        let address = pointer_of(base, self.scope)?;
        let count = number_of(count, self.scope)?;
        let Number::Integer(count) = count else {
            return Err(EvaluationError::invalid(
                "Argument to arithmetic operation not a number or boolean.",
            ));
        };
        let size = i128::from(target.size().unwrap_or(1).max(1));
        let distance = count.wrapping_mul(size).wrapping_mul(sign);
        let moved = address.wrapping_add(distance as u64);
        let type_ref = match base.type_ref.shape() {
            Shape::Pointer { .. } => base.type_ref.clone(),
            _ => target.pointer(),
        };
        Ok(Value::computed(type_ref, moved.to_le_bytes().to_vec()))
    }

    fn numeric(&mut self, operator: BinaryOperator, left: &Value, right: &Value) -> Evaluated {
        let one = number_of(left, self.scope)?;
        let other = number_of(right, self.scope)?;
        let shifts = matches!(
            operator,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight
        );
        let type_ref = if shifts {
            promote(&left.type_ref, self.language)?
        } else {
            common(&left.type_ref, &right.type_ref, self.language)?
        };
        let scalar = scalar(&type_ref)?;
        if scalar.float {
            let signed =
                |value: &Value| Scalar::of(&value.type_ref).is_none_or(|scalar| scalar.signed);
            let (one, other) = (one.as_float(signed(left)), other.as_float(signed(right)));
            if operator.compares() {
                return Ok(self.boolean(compare(operator, one.partial_cmp(&other))));
            }
            let result = match operator {
                BinaryOperator::Add => one + other,
                BinaryOperator::Subtract => one - other,
                BinaryOperator::Multiply => one * other,
                BinaryOperator::Divide => one / other,
                BinaryOperator::Remainder => one % other,
                _ => {
                    return Err(EvaluationError::invalid(
                        "Integer-only operation on a floating-point number.",
                    ));
                }
            };
            return Ok(encode(type_ref, Number::Float(result)));
        }
        let (one, other) = (one.as_integer(), other.as_integer());
        if operator.compares() {
            let (one, other) = (scalar.wrap(one), scalar.wrap(other));
            let ordering = if scalar.signed {
                one.cmp(&other)
            } else {
                (one as u128).cmp(&(other as u128))
            };
            return Ok(self.boolean(compare(operator, Some(ordering))));
        }
        let result = integer_operation(operator, one, other, scalar)?;
        Ok(encode(type_ref, Number::Integer(scalar.wrap(result))))
    }
}

/// The type of an arithmetic operand: C widens what is smaller than `int`.
pub(crate) fn promote(type_ref: &TypeRef, language: Language) -> Evaluated<TypeRef> {
    let operand = scalar(type_ref)?;
    if language == Language::Rust {
        return Ok(type_ref.clone());
    }
    let name = match (operand.float, operand.bytes, operand.signed) {
        (true, ..) => return Ok(type_ref.strip()),
        (_, 0..=3, _) | (_, 4, true) => "int",
        (_, 4, false) => "unsigned int",
        (_, 8, true) => "long",
        (_, 8, false) => "unsigned long",
        (_, _, true) => "__int128",
        (_, _, false) => "__int128 unsigned",
    };
    Ok(builtin_or_void(name, language))
}

/// The type in which two operands are joined.
pub(crate) fn common(left: &TypeRef, right: &TypeRef, language: Language) -> Evaluated<TypeRef> {
    let (one, other) = (promote(left, language)?, promote(right, language)?);
    let (scalar_one, scalar_other) = (scalar(&one)?, scalar(&other)?);
    match (scalar_one.float, scalar_other.float) {
        (true, false) => return Ok(one),
        (false, true) => return Ok(other),
        (true, true) if scalar_other.bytes > scalar_one.bytes => return Ok(other),
        (true, true) => return Ok(one),
        (false, false) => {}
    }
    Ok(match scalar_one.bytes.cmp(&scalar_other.bytes) {
        std::cmp::Ordering::Greater => one,
        std::cmp::Ordering::Less => other,
        std::cmp::Ordering::Equal if scalar_one.signed => other,
        std::cmp::Ordering::Equal => one,
    })
}

fn integer_operation(
    operator: BinaryOperator,
    one: i128,
    other: i128,
    scalar: Scalar,
) -> Evaluated<i128> {
    let divides = matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder);
    let (one, other) = match operator {
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => (scalar.wrap(one), other),
        _ => (scalar.wrap(one), scalar.wrap(other)),
    };
    if divides && other == 0 {
        return Err(EvaluationError::DivisionByZero);
    }
    let bits = scalar.bytes * 8;
    Ok(match operator {
        BinaryOperator::Add => one.wrapping_add(other),
        BinaryOperator::Subtract => one.wrapping_sub(other),
        BinaryOperator::Multiply => one.wrapping_mul(other),
        BinaryOperator::Divide if scalar.signed => one.wrapping_div(other),
        BinaryOperator::Divide => ((one as u128) / (other as u128)) as i128,
        BinaryOperator::Remainder if scalar.signed => one.wrapping_rem(other),
        BinaryOperator::Remainder => ((one as u128) % (other as u128)) as i128,
        BinaryOperator::BitAnd => one & other,
        BinaryOperator::BitOr => one | other,
        BinaryOperator::BitXor => one ^ other,
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight if other < 0 => {
            return Err(EvaluationError::invalid("negative shift count"));
        }
        BinaryOperator::ShiftLeft if other >= i128::from(bits) => 0,
        BinaryOperator::ShiftLeft => one << other,
        BinaryOperator::ShiftRight if other >= i128::from(bits) => {
            if scalar.signed && one < 0 {
                -1
            } else {
                0
            }
        }
        BinaryOperator::ShiftRight if scalar.signed => one >> other,
        BinaryOperator::ShiftRight => ((one as u128) >> other) as i128,
        _ => return Err(EvaluationError::invalid("not an arithmetic operator")),
    })
}

fn compare(operator: BinaryOperator, ordering: Option<std::cmp::Ordering>) -> bool {
    let Some(ordering) = ordering else {
        return operator == BinaryOperator::NotEqual;
    };
    match operator {
        BinaryOperator::Equal => ordering.is_eq(),
        BinaryOperator::NotEqual => ordering.is_ne(),
        BinaryOperator::Less => ordering.is_lt(),
        BinaryOperator::LessOrEqual => ordering.is_le(),
        BinaryOperator::Greater => ordering.is_gt(),
        _ => ordering.is_ge(),
    }
}

fn scalar(type_ref: &TypeRef) -> Evaluated<Scalar> {
    Scalar::of(type_ref).ok_or_else(|| {
        EvaluationError::invalid("Argument to arithmetic operation not a number or boolean.")
    })
}

/// What pointer arithmetic on this type steps over.
fn pointee(type_ref: &TypeRef) -> Option<TypeRef> {
    match type_ref.shape() {
        Shape::Pointer { target, .. } => Some(target),
        Shape::Array {
            element,
            is_vector: false,
            ..
        } => Some(element),
        Shape::Function { .. } => Some(type_ref.clone()),
        _ => None,
    }
}
