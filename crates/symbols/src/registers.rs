//! The registers of an x86-64 thread under their DWARF numbers, each either known or unknown.
//!
//! A frame that is not the innermost one knows only what the unwinder could restore, so every
//! register is optional and "not saved" is a fact that travels up to the printed value.

use std::fmt;
use std::sync::Arc;

/// A register under its DWARF number (System V ABI for x86-64, figure 3.36).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub u16);

impl Register {
    pub const RAX: Register = Register(0);
    pub const RDX: Register = Register(1);
    pub const RCX: Register = Register(2);
    pub const RBX: Register = Register(3);
    pub const RSI: Register = Register(4);
    pub const RDI: Register = Register(5);
    pub const RBP: Register = Register(6);
    pub const RSP: Register = Register(7);
    pub const R8: Register = Register(8);
    pub const R9: Register = Register(9);
    pub const R10: Register = Register(10);
    pub const R11: Register = Register(11);
    pub const R12: Register = Register(12);
    pub const R13: Register = Register(13);
    pub const R14: Register = Register(14);
    pub const R15: Register = Register(15);
    /// The program counter: DWARF's "return address" column.
    pub const RIP: Register = Register(16);
    pub const XMM0: Register = Register(17);
    pub const ST0: Register = Register(33);
    pub const EFLAGS: Register = Register(49);
    pub const ES: Register = Register(50);
    pub const CS: Register = Register(51);
    pub const SS: Register = Register(52);
    pub const DS: Register = Register(53);
    pub const FS: Register = Register(54);
    pub const GS: Register = Register(55);
    pub const FS_BASE: Register = Register(58);
    pub const GS_BASE: Register = Register(59);

    /// The name that gdb gives to this register.
    pub fn name(self) -> Option<&'static str> {
        NAMES
            .iter()
            .find(|(number, _)| *number == self.0)
            .map(|(_, name)| *name)
    }

    /// The register of this name (without `$`); `pc`, `sp` and `fp` are understood as in gdb.
    pub fn by_name(name: &str) -> Option<Register> {
        match name {
            "pc" => return Some(Register::RIP),
            "sp" => return Some(Register::RSP),
            "fp" => return Some(Register::RBP),
            _ => {}
        }
        NAMES
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(number, _)| Register(*number))
    }

    /// All registers in the order of gdb's `info registers`, then the vector registers.
    pub fn all() -> impl Iterator<Item = Register> {
        NAMES.iter().map(|(number, _)| Register(*number))
    }

    /// Bytes that the register holds.
    pub fn size(self) -> usize {
        match self.0 {
            17..=32 => 16,
            33..=40 => 10,
            49..=55 => 4,
            _ => 8,
        }
    }

    /// Whether a function must hand this register back unchanged (System V ABI).
    pub fn is_callee_saved(self) -> bool {
        matches!(
            self,
            Register::RBX
                | Register::RBP
                | Register::RSP
                | Register::R12
                | Register::R13
                | Register::R14
                | Register::R15
        )
    }
}

impl From<gimli::Register> for Register {
    fn from(register: gimli::Register) -> Register {
        Register(register.0)
    }
}

impl From<Register> for gimli::Register {
    fn from(register: Register) -> gimli::Register {
        gimli::Register(register.0)
    }
}

impl fmt::Display for Register {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => formatter.write_str(name),
            None => write!(formatter, "register {}", self.0),
        }
    }
}

impl fmt::Debug for Register {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// In the order of gdb's `info registers`.
const NAMES: &[(u16, &str)] = &[
    (0, "rax"),
    (3, "rbx"),
    (2, "rcx"),
    (1, "rdx"),
    (4, "rsi"),
    (5, "rdi"),
    (6, "rbp"),
    (7, "rsp"),
    (8, "r8"),
    (9, "r9"),
    (10, "r10"),
    (11, "r11"),
    (12, "r12"),
    (13, "r13"),
    (14, "r14"),
    (15, "r15"),
    (16, "rip"),
    (49, "eflags"),
    (51, "cs"),
    (52, "ss"),
    (53, "ds"),
    (50, "es"),
    (54, "fs"),
    (55, "gs"),
    (58, "fs_base"),
    (59, "gs_base"),
    (17, "xmm0"),
    (18, "xmm1"),
    (19, "xmm2"),
    (20, "xmm3"),
    (21, "xmm4"),
    (22, "xmm5"),
    (23, "xmm6"),
    (24, "xmm7"),
    (25, "xmm8"),
    (26, "xmm9"),
    (27, "xmm10"),
    (28, "xmm11"),
    (29, "xmm12"),
    (30, "xmm13"),
    (31, "xmm14"),
    (32, "xmm15"),
    (33, "st0"),
    (34, "st1"),
    (35, "st2"),
    (36, "st3"),
    (37, "st4"),
    (38, "st5"),
    (39, "st6"),
    (40, "st7"),
];

/// General registers and rip, DWARF numbers 0 to 16.
const GENERAL: usize = 17;
/// xmm0 to xmm15 and st0 to st7, DWARF numbers 17 to 40.
const WIDE: usize = 24;
/// eflags to gs_base, DWARF numbers 49 to 59.
const SPECIAL: usize = 11;

/// rax, rdx, rcx, rsi, rdi, r8 to r11, the vector and the x87 registers: a called function may
/// overwrite them.
const VOLATILE: u64 = 0x1ff_fffe_0f37;

/// What is known of a thread's registers in one frame.
#[derive(Clone, PartialEq, Eq)]
pub struct Registers {
    general: [Option<u64>; GENERAL],
    special: [Option<u64>; SPECIAL],
    /// Shared between the frames of a stack: hardly any frame saves one of them.
    wide: Option<Arc<[Option<u128>; WIDE]>>,
    /// One bit for each DWARF number: see [`Registers::is_assumed`].
    assumed: u64,
}

impl Default for Registers {
    fn default() -> Registers {
        Registers {
            general: [None; GENERAL],
            special: [None; SPECIAL],
            wide: None,
            assumed: 0,
        }
    }
}

impl Registers {
    /// A set in which nothing is known.
    pub fn unknown() -> Registers {
        Registers::default()
    }

    /// The low 64 bits of a register, if it is known.
    pub fn get(&self, register: Register) -> Option<u64> {
        match register.0 {
            number @ 0..=16 => self.general[usize::from(number)],
            number @ 49..=59 => self.special[usize::from(number - 49)],
            _ => self.get_wide(register).map(|value| value as u64),
        }
    }

    /// The whole of a register, zero-extended, if it is known.
    pub fn get_wide(&self, register: Register) -> Option<u128> {
        match register.0 {
            number @ 17..=40 => self.wide.as_ref()?[usize::from(number - 17)],
            0..=16 | 49..=59 => self.get(register).map(u128::from),
            _ => None,
        }
    }

    /// The bytes of a register, as many as it holds, if it is known.
    pub fn bytes(&self, register: Register) -> Option<Vec<u8>> {
        let value = self.get_wide(register)?;
        Some(value.to_le_bytes()[..register.size()].to_vec())
    }

    /// Makes a register known. A number that is not an x86-64 register is ignored.
    pub fn set(&mut self, register: Register, value: u64) {
        self.put(register, Some(u128::from(value)));
    }

    /// Makes the whole of a wide register known.
    pub fn set_wide(&mut self, register: Register, value: u128) {
        self.put(register, Some(value));
    }

    /// Makes a register unknown.
    pub fn forget(&mut self, register: Register) {
        self.put(register, None);
    }

    /// Whether the value is only assumed: the ABI lets the called function overwrite this
    /// register, and nothing says that it was saved. A compiler that knows the called function
    /// may rely on it nevertheless.
    pub fn is_assumed(&self, register: Register) -> bool {
        register.0 < 64 && self.assumed >> register.0 & 1 == 1
    }

    /// Marks every register that a called function may overwrite as assumed.
    pub fn assume_call(&mut self) {
        self.assumed |= VOLATILE;
    }

    fn put(&mut self, register: Register, value: Option<u128>) {
        if register.0 < 64 {
            self.assumed &= !(1 << register.0);
        }
        match register.0 {
            number @ 0..=16 => self.general[usize::from(number)] = value.map(|value| value as u64),
            number @ 49..=59 => {
                self.special[usize::from(number - 49)] = value.map(|value| value as u64);
            }
            number @ 17..=40 => {
                if value.is_none() && self.wide.is_none() {
                    return;
                }
                let wide = self.wide.get_or_insert_with(|| Arc::new([None; WIDE]));
                Arc::make_mut(wide)[usize::from(number - 17)] = value;
            }
            _ => {}
        }
    }

    /// The program counter.
    pub fn pc(&self) -> Option<u64> {
        self.get(Register::RIP)
    }

    /// The stack pointer.
    pub fn sp(&self) -> Option<u64> {
        self.get(Register::RSP)
    }

    /// The registers that are known, in gdb's order.
    pub fn known(&self) -> impl Iterator<Item = (Register, u128)> + '_ {
        Register::all().filter_map(|register| Some((register, self.get_wide(register)?)))
    }
}

impl fmt::Debug for Registers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = formatter.debug_map();
        for (register, value) in self.known() {
            map.entry(&register, &format_args!("{value:#x}"));
        }
        map.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found_again() {
        for register in Register::all() {
            let name = register.name().expect("every listed register has a name");
            assert_eq!(Register::by_name(name), Some(register));
        }
        assert_eq!(Register::by_name("pc"), Some(Register::RIP));
        assert_eq!(Register::by_name("xmm15"), Some(Register(32)));
        assert_eq!(Register::by_name("zmm77"), None);
        assert_eq!(Register(999).name(), None);
    }

    #[test]
    fn a_call_makes_exactly_the_volatile_registers_doubtful() {
        let mut registers = Registers::unknown();
        registers.assume_call();
        for register in Register::all() {
            let is_volatile = matches!(register.0, 0..=15 | 17..=40) && !register.is_callee_saved();
            assert_eq!(registers.is_assumed(register), is_volatile, "{register}");
        }
        registers.set(Register::RAX, 1);
        assert!(!registers.is_assumed(Register::RAX));
    }

    #[test]
    fn what_is_set_is_known_and_the_rest_is_not() {
        let mut registers = Registers::unknown();
        registers.set(Register::R12, 7);
        registers.set(Register::FS_BASE, 0x7000);
        registers.set_wide(Register(20), 1 << 100);
        registers.set(Register(999), 1);
        assert_eq!(registers.get(Register::R12), Some(7));
        assert_eq!(registers.get(Register::FS_BASE), Some(0x7000));
        assert_eq!(registers.get_wide(Register(20)), Some(1 << 100));
        assert_eq!(registers.get(Register::RAX), None);
        assert_eq!(registers.get_wide(Register(999)), None);
        registers.forget(Register::R12);
        assert_eq!(registers.get(Register::R12), None);
        assert_eq!(registers.known().count(), 2);
    }
}
