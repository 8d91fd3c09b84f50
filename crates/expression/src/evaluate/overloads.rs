//! Which of several functions of one name suits the arguments of a call.

use wayfarer_symbols::types::{Encoding, PointerKind};

use crate::types::{Shape, TypeRef};
use crate::value::Value;

/// How badly a conversion suits: the worst of a call decides, then their sum.
const PROMOTION: u32 = 1;
const CONVERSION: u32 = 3;
const TO_BASE: u32 = 2;
const WORST: u32 = 1000;

/// The function that suits the arguments best, its first `hidden` parameters apart.
pub(super) fn best<'a>(
    functions: &'a [Value],
    arguments: &[Value],
    hidden: usize,
) -> Option<&'a Value> {
    let ranked = functions.iter().filter_map(|function| {
        let Shape::Function { parameters, .. } = function.type_ref.shape() else {
            return None;
        };
        let visible = parameters.get(hidden..)?;
        rank(visible, arguments).map(|rank| (rank, function))
    });
    ranked
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, function)| function)
}

/// How well arguments suit parameters; nothing where they do not at all. Less is better.
pub(super) fn rank(parameters: &[TypeRef], arguments: &[Value]) -> Option<u32> {
    if parameters.len() != arguments.len() {
        return None;
    }
    let mut total = 0;
    for (parameter, argument) in parameters.iter().zip(arguments) {
        let cost = cost(&referred(parameter), &referred(&argument.type_ref))?;
        total += cost + if cost >= CONVERSION { WORST } else { 0 };
    }
    Some(total)
}

/// What a reference refers to.
fn referred(type_ref: &TypeRef) -> TypeRef {
    match type_ref.shape() {
        Shape::Pointer {
            kind: PointerKind::Reference | PointerKind::RvalueReference,
            target,
            ..
        } => target,
        _ => type_ref.clone(),
    }
}

fn cost(parameter: &TypeRef, argument: &TypeRef) -> Option<u32> {
    match (parameter.shape(), argument.shape()) {
        (Shape::Aggregate(wanted), Shape::Aggregate(given)) => {
            if wanted.qualified_name == given.qualified_name {
                return Some(0);
            }
            let mut bases = given.bases.iter();
            bases
                .any(|base| cost(parameter, &given.member_type(Some(base.type_id))).is_some())
                .then_some(TO_BASE)
        }
        (Shape::Base(wanted), Shape::Base(given)) => {
            let is_float = |encoding| encoding == Encoding::Float;
            Some(
                if wanted.encoding == given.encoding && wanted.size == given.size {
                    0
                } else if is_float(wanted.encoding) == is_float(given.encoding)
                    && wanted.size > given.size
                {
                    PROMOTION
                } else {
                    CONVERSION
                },
            )
        }
        (Shape::Enumeration(wanted), Shape::Enumeration(given)) => {
            (wanted.name == given.name).then_some(0)
        }
        (Shape::Base(_), Shape::Enumeration(_)) => Some(PROMOTION),
        (Shape::Pointer { target, .. }, Shape::Pointer { target: given, .. })
        | (Shape::Pointer { target, .. }, Shape::Array { element: given, .. }) => {
            match (target.shape(), given.shape()) {
                (Shape::Void, _) => Some(CONVERSION),
                (Shape::Pointer { .. }, Shape::Pointer { .. })
                | (Shape::Aggregate(_), Shape::Aggregate(_))
                | (Shape::Base(_), Shape::Base(_)) => match cost(&target, &given)? {
                    exact if exact < CONVERSION => Some(exact),
                    _ => None,
                },
                _ => None,
            }
        }
        (Shape::Pointer { .. }, Shape::Base(_)) => Some(CONVERSION + 1),
        (Shape::Base(wanted), Shape::Pointer { .. }) => {
            (wanted.encoding == Encoding::Boolean).then_some(CONVERSION + 1)
        }
        (Shape::Aggregate(_), _) | (_, Shape::Aggregate(_)) => None,
        _ => Some(CONVERSION),
    }
}
