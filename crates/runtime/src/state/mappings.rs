//! Shared mappings of files, which writes to those files change.

use crate::state::word::Word;

/// Shared mappings of files that are kept in mind.
pub const MAX_MAPPINGS: usize = 32;

/// A shared mapping of a file.
#[derive(Clone, Copy)]
pub struct Mapping {
    pub address: usize,
    pub length: usize,
    pub device: u64,
    pub inode: u64,
    pub offset: u64,
}

/// Where a mapping is kept; its length is 0 when there is none.
#[repr(C)]
pub struct Kept {
    pub address: Word<usize>,
    pub length: Word<usize>,
    pub device: Word<u64>,
    pub inode: Word<u64>,
    pub offset: Word<u64>,
}

impl Kept {
    pub fn get(&self) -> Mapping {
        Mapping {
            address: self.address.get(),
            length: self.length.get(),
            device: self.device.get(),
            inode: self.inode.get(),
            offset: self.offset.get(),
        }
    }

    pub fn set(&self, mapping: Mapping) {
        self.address.set(mapping.address);
        self.length.set(mapping.length);
        self.device.set(mapping.device);
        self.inode.set(mapping.inode);
        self.offset.set(mapping.offset);
    }
}
