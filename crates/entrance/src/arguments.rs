//! What a call was given: numbers, some of which are addresses.
//!
//! An address that came from the program may point anywhere: to nothing, to memory that another of its threads takes away
//! at this moment, or to ours. So it is a type of its own, which cannot be dereferenced, and what may be done with it is
//! up to whoever guards the access.

use core::ops::Deref;

/// An address that came from the program, or stands in for one.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address(usize);

impl Address {
    pub const NULL: Address = Address(0);

    #[inline(always)]
    pub const fn new(number: usize) -> Self {
        Self(number)
    }

    #[inline(always)]
    pub const fn number(self) -> usize {
        self.0
    }

    #[inline(always)]
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// The place so many bytes further on.
    #[inline(always)]
    #[must_use]
    pub const fn plus(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes))
    }
}

/// A piece of the program's memory, as the kernel's `iovec` describes one.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: Address,
    pub length: usize,
}

impl Span {
    pub const NONE: Span = Span {
        start: Address::NULL,
        length: 0,
    };
}

/// The arguments of a call, as the program gave them. Dereferenced, they are the numbers that the kernel gets.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arguments([usize; 6]);

impl Arguments {
    #[inline(always)]
    pub const fn new(numbers: [usize; 6]) -> Self {
        Self(numbers)
    }

    /// One of them; zero for an index that is none.
    #[inline(always)]
    pub fn number(&self, index: u8) -> usize {
        self.0.get(usize::from(index)).copied().unwrap_or(0)
    }

    /// One of them that is an address.
    #[inline(always)]
    pub fn address(&self, index: u8) -> Address {
        Address::new(self.number(index))
    }

    /// The same with another address in place of one.
    #[inline]
    #[must_use]
    pub fn with_address(mut self, index: u8, address: Address) -> Self {
        if let Some(place) = self.0.get_mut(usize::from(index)) {
            *place = address.number();
        }
        self
    }
}

impl Deref for Arguments {
    type Target = [usize; 6];

    #[inline(always)]
    fn deref(&self) -> &[usize; 6] {
        &self.0
    }
}
