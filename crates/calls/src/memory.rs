//! Flags of calls on memory.

pub const PROT_NONE: usize = 0;
pub const PROT_READ: usize = 1;
pub const PROT_WRITE: usize = 2;
pub const PROT_EXEC: usize = 4;

pub const MAP_SHARED: usize = 1;
pub const MAP_PRIVATE: usize = 2;
pub const MAP_SHARED_VALIDATE: usize = 3;
/// The bits of the flags that say how it is shared.
pub const MAP_TYPE: usize = 0xf;
pub const MAP_FIXED: usize = 0x10;
pub const MAP_ANONYMOUS: usize = 0x20;
pub const MAP_NORESERVE: usize = 0x4000;
pub const MAP_POPULATE: usize = 0x8000;
pub const MAP_FIXED_NOREPLACE: usize = 0x10_0000;
/// In place of a descriptor where there is no file.
pub const NO_FILE: usize = usize::MAX;

pub const MREMAP_MAYMOVE: usize = 1;
pub const MREMAP_FIXED: usize = 2;

pub const MADV_RANDOM: usize = 1;
pub const MADV_DONTDUMP: usize = 16;
pub const MADV_POPULATE_WRITE: usize = 23;

/// `membarrier`: in all threads of this process, which must have registered.
pub const MEMBARRIER_PRIVATE_EXPEDITED: usize = 8;
pub const MEMBARRIER_REGISTER_PRIVATE_EXPEDITED: usize = 16;
