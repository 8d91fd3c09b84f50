//! The table of `syscall` sites that the host makes and the runtime patches.
//!
//! At `SITES_OFFSET` lies a [`Table`], behind it `modules` × [`Module`]; each names by offset (from
//! `SITES_OFFSET`) its array of [`Site`].

/// Head of the table.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Table {
    pub modules: u32,
    pub spare: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Module {
    pub build_id: [u8; 20],
    pub build_id_length: u32,
    /// Offset of the first [`Site`] from `SITES_OFFSET`.
    pub sites_offset: u32,
    pub sites: u32,
}

/// Kinds of sites.
pub mod kind {
    /// `mov $nr,%eax` (5 bytes) right before the `syscall`; the jump replaces the `mov` alone.
    /// `offset` is that of the `mov`; `length` is 5; the stub runs the call and goes on behind the
    /// `syscall` (`offset + 7`).
    pub const BEFORE: u8 = 1;
    /// The `syscall` and relocatable instructions behind it, at least 5 bytes. `offset` is that of the
    /// `syscall`; the stub runs the call, then the `length - 2` bytes behind it, then goes on at
    /// `offset + length`.
    pub const AFTER: u8 = 2;
    /// Entry of a vDSO function; `length` (≥ 5) bytes of relocatable prologue. `number` says which:
    /// see the `VDSO_` constants. Only in the module with an empty build id.
    pub const VDSO: u8 = 3;
    /// Relocatable instructions right before the `syscall`, at least 3 bytes. `offset` is that of the first
    /// of them, `length` theirs; the stub runs them and the call, and goes on behind the `syscall`
    /// (`offset + length + 2`).
    pub const AROUND: u8 = 4;
}

pub const VDSO_CLOCK_GETTIME: u32 = 0;
pub const VDSO_GETTIMEOFDAY: u32 = 1;
pub const VDSO_TIME: u32 = 2;
pub const VDSO_GETCPU: u32 = 3;
pub const VDSO_CLOCK_GETRES: u32 = 4;
pub const VDSO_GETRANDOM: u32 = 5;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Site {
    /// From the load address of the module.
    pub offset: u32,
    /// Call number of a `BEFORE` site; which function for `VDSO`.
    pub number: u32,
    pub kind: u8,
    pub length: u8,
    pub spare: u16,
    /// What must stand at `offset` before anything is written: the first `length` bytes, for
    /// `BEFORE` and `AROUND` two more (the `syscall`).
    pub bytes: [u8; 20],
}

const _: () = assert!(core::mem::size_of::<Module>() == 32);
const _: () = assert!(core::mem::size_of::<Site>() == 32);
