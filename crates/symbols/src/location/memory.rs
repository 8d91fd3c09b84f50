//! How this crate asks for the memory of a debuggee: it never reads a process by itself.

/// Bytes that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cannot access memory at address {address:#x}")]
pub struct Unreadable {
    /// The first address that could not be read.
    pub address: u64,
}

/// The memory of one debuggee: a live process, a core file, a replay or a test.
pub trait Memory {
    /// Fills the whole of `buffer` from `address` on, or says which address was unreadable.
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable>;

    /// Reads a little-endian 64-bit word.
    fn read_u64(&self, address: u64) -> Result<u64, Unreadable> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
}

impl<M: Memory + ?Sized> Memory for &M {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        (**self).read(address, buffer)
    }
}

impl<M: Memory + ?Sized> Memory for std::sync::Arc<M> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        (**self).read(address, buffer)
    }
}

/// A memory of which nothing can be read: for expressions that must be constant.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn read(&self, address: u64, _buffer: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable { address })
    }
}
