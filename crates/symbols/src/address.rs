//! Addresses inside a module, as its linker gave them: a type of their own, so that they are never
//! taken for addresses in a process.

use std::fmt;

/// A link-time address of a module; a process that maps the module adds its bias.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ModuleAddress(pub u64);

impl ModuleAddress {
    /// The address in a process that maps the module with this bias.
    pub fn in_process(self, bias: u64) -> u64 {
        self.0.wrapping_add(bias)
    }

    /// The module's address of an address in a process that maps it with this bias.
    pub fn from_process(address: u64, bias: u64) -> ModuleAddress {
        ModuleAddress(address.wrapping_sub(bias))
    }

    /// The address `bytes` further on.
    pub fn plus(self, bytes: u64) -> ModuleAddress {
        ModuleAddress(self.0.wrapping_add(bytes))
    }
}

impl fmt::Display for ModuleAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#x}", self.0)
    }
}

impl fmt::Debug for ModuleAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The addresses from `start` up to, not including, `end`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AddressRange {
    pub start: ModuleAddress,
    pub end: ModuleAddress,
}

impl AddressRange {
    pub fn new(start: u64, end: u64) -> AddressRange {
        AddressRange {
            start: ModuleAddress(start),
            end: ModuleAddress(end),
        }
    }

    pub fn contains(&self, address: ModuleAddress) -> bool {
        self.start <= address && address < self.end
    }

    /// Bytes in the range; 0 for one whose end lies before its start.
    pub fn length(&self) -> u64 {
        self.end.0.saturating_sub(self.start.0)
    }
}
