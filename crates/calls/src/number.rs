//! The number of a system call, and the tables that are looked up by it.

use crate::call::{self, Call, Kind};
use crate::list::{ABSENT, ARCHITECTURE, LIST};

/// The number of a system call on this architecture, known or not. Its constants are made by
/// [`crate::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Number(usize);

/// The numbers below this one can be in the table.
pub const CALLS: usize = 470;

/// What each call is like, by its number.
static TABLE: [Call; CALLS] = {
    let mut table = [call::unknown(); CALLS];
    let mut row = 0;
    while row < LIST.len() {
        let number = LIST[row].number().0;
        if number < CALLS {
            assert!(matches!(table[number].kind, Kind::Unknown));
            table[number] = LIST[row].call.completed();
        }
        row += 1;
    }
    table
};

/// The name of each call, by its number; empty for numbers without a call.
static NAMES: [&str; CALLS] = {
    let mut names = [""; CALLS];
    let mut row = 0;
    while row < LIST.len() {
        let number = LIST[row].number().0;
        if number < CALLS {
            assert!(names[number].is_empty());
            names[number] = LIST[row].name;
        }
        row += 1;
    }
    names
};

impl Number {
    /// A number as a register holds it.
    #[inline(always)]
    pub const fn new(number: usize) -> Number {
        Number(number)
    }

    /// The number that a row has here. A call that this architecture lacks gets one that no kernel
    /// knows.
    pub(crate) const fn of_row(numbers: [u32; 2]) -> Number {
        const BEYOND: usize = 0x1_0000;
        let own = numbers[ARCHITECTURE];
        Number(if own == ABSENT {
            BEYOND + numbers[0] as usize
        } else {
            own as usize
        })
    }

    #[inline(always)]
    pub const fn get(self) -> usize {
        self.0
    }

    /// As a record holds it.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        self.0 as u64
    }

    /// What the call is like.
    #[inline(always)]
    pub fn call(self) -> &'static Call {
        static UNLISTED: Call = call::unknown();
        match TABLE.get(self.0) {
            Some(call) => call,
            None => &UNLISTED,
        }
    }

    /// The name of the call; `None` for numbers without a call.
    pub fn name(self) -> Option<&'static str> {
        NAMES.get(self.0).copied().filter(|name| !name.is_empty())
    }

    /// The call of this name.
    pub fn named(name: &str) -> Option<Number> {
        let row = LIST.iter().find(|row| row.name == name)?;
        Some(row.number())
    }
}

impl From<u64> for Number {
    /// A number as a record holds it.
    #[inline(always)]
    fn from(number: u64) -> Number {
        Number(number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Piece;

    #[test]
    fn names_and_numbers_lead_to_each_other() {
        for (number, name) in [
            (Number::READ, "read"),
            (Number::EXIT_GROUP, "exit_group"),
            (Number::CLONE3, "clone3"),
            (Number::MSEAL, "mseal"),
            (Number::_SYSCTL, "_sysctl"),
        ] {
            assert_eq!(number.name(), Some(name));
            assert_eq!(Number::named(name), Some(number));
        }
        assert_eq!(Number::new(400).name(), None);
        assert_eq!(Number::new(usize::MAX).name(), None);
        assert_eq!(Number::named("nothing"), None);
        assert_eq!(Number::named(""), None);
    }

    #[test]
    fn what_follows_from_a_row_is_worked_out() {
        let call = |number: Number| number.call();
        assert!(call(Number::GETPID).bare);
        assert!(!call(Number::FSTAT).bare, "it has an output");
        assert!(!call(Number::FLOCK).bare, "it may wait");
        assert!(call(Number::READ).drafts);
        assert!(call(Number::EPOLL_WAIT).drafts);
        assert!(!call(Number::READV).drafts, "it has several pieces");
        assert!(!call(Number::DUP).drafts && !call(Number::OPEN).drafts);
        let piece = call(Number::EPOLL_WAIT).piece;
        assert_eq!((piece.argument, piece.unit), (1, 12));
        assert_eq!(call(Number::READV).piece.unit, Piece::SEVERAL.unit);
        assert_eq!(call(Number::GETPID).piece.argument, Piece::NOTHING.argument);
    }

    #[test]
    fn numbers_without_a_row_are_unknown() {
        for number in [350, 400, CALLS, usize::MAX] {
            assert!(matches!(Number::new(number).call().kind, Kind::Unknown));
        }
    }
}
