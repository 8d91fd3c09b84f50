//! Between the plain types of `wayfarer-backend` and the messages: each type's two directions side by side.
//!
//! Plain to wire never fails (`From`). Wire to plain may (`TryFrom`): a message that lacks what every peer of this
//! version sends is [`Damaged`], and says what is missing. The session's number is not in the plain types; who sends a
//! request fills it in.

mod attach;
mod breakpoint;
mod catchpoint;
mod event;
mod failure;
mod inferior_call;
mod memory;
mod module;
mod process;
mod registers;
mod replay;
mod resume;
mod settings;
mod snapshot;
mod stop;
mod targets;
mod watchpoint;

pub use failure::{failure_of, status_of};

use wayfarer_backend as plain;

/// A message that lacks something, or has a value that this version does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged(pub &'static str);

impl std::fmt::Display for Damaged {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "a message is damaged: its {} is missing or unknown",
            self.0
        )
    }
}

impl std::error::Error for Damaged {}

impl From<Damaged> for plain::Failure {
    fn from(damaged: Damaged) -> plain::Failure {
        plain::Failure::new(plain::FailureKind::Invalid, damaged.to_string())
    }
}

/// What must be there.
fn needed<W, P: TryFrom<W, Error = Damaged>>(
    value: Option<W>,
    what: &'static str,
) -> Result<P, Damaged> {
    P::try_from(value.ok_or(Damaged(what))?)
}

/// What may be absent.
fn optional<W, P: TryFrom<W, Error = Damaged>>(value: Option<W>) -> Result<Option<P>, Damaged> {
    value.map(P::try_from).transpose()
}

/// All of a list.
fn all<W, P: TryFrom<W, Error = Damaged>>(values: Vec<W>) -> Result<Vec<P>, Damaged> {
    values.into_iter().map(P::try_from).collect()
}

/// A list for the wire.
fn list<P, W: From<P>>(values: Vec<P>) -> Vec<W> {
    values.into_iter().map(W::from).collect()
}

/// Success is the absence of a failure.
fn outcome(failure: Option<crate::Failure>) -> Result<plain::Answer<()>, Damaged> {
    Ok(match failure {
        None => Ok(()),
        Some(failure) => Err(plain::Failure::try_from(failure)?),
    })
}

/// The numbers of ids.
macro_rules! ids {
    ($($id:ident, $to:ident, $from:ident;)*) => {
        $(
            fn $to(ids: Vec<plain::$id>) -> Vec<u64> {
                ids.into_iter().map(|id| id.0).collect()
            }

            fn $from(ids: Vec<u64>) -> Vec<plain::$id> {
                ids.into_iter().map(plain::$id).collect()
            }
        )*
    };
}

ids! {
    ProcessId, process_numbers, process_ids;
    ThreadId, thread_numbers, thread_ids;
    BreakpointId, breakpoint_numbers, breakpoint_ids;
}

/// An enumeration whose wire form has the same names, and one more for a value that was never set.
macro_rules! enumeration {
    ($name:ident { $($variant:ident),* $(,)? }) => {
        impl From<wayfarer_backend::$name> for crate::$name {
            fn from(value: wayfarer_backend::$name) -> crate::$name {
                match value {
                    $(wayfarer_backend::$name::$variant => crate::$name::$variant,)*
                }
            }
        }

        impl TryFrom<crate::$name> for wayfarer_backend::$name {
            type Error = crate::convert::Damaged;

            fn try_from(value: crate::$name) -> Result<wayfarer_backend::$name, Self::Error> {
                match value {
                    $(crate::$name::$variant => Ok(wayfarer_backend::$name::$variant),)*
                    crate::$name::Unspecified => Err(crate::convert::Damaged(stringify!($name))),
                }
            }
        }
    };
}
use enumeration;

/// Reads the number of an enumeration.
fn enumerated<W, P>(number: i32, what: &'static str) -> Result<P, Damaged>
where
    W: TryFrom<i32>,
    P: TryFrom<W, Error = Damaged>,
{
    P::try_from(W::try_from(number).map_err(|_| Damaged(what))?)
}
