//! The memory of a process.

use crate::error::Error;
use crate::thread::Tid;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;

/// An address space. It stays the same one when the process execs: then it is empty, and a new one must be opened.
#[derive(Debug)]
pub struct Memory {
    tid: Tid,
    file: File,
}

impl Memory {
    /// The memory that the process has now. It must be traced, or be ours to trace.
    pub fn open(tid: Tid) -> Result<Memory, Error> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(format!("/proc/{tid}/mem"))
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Error::Gone(tid),
                _ => Error::from_io("memory", tid, error),
            })?;
        Ok(Memory { tid, file })
    }

    /// Whose it is.
    pub fn tid(&self) -> Tid {
        self.tid
    }

    /// Reads as much as there is, up to the first byte that cannot be read; the number of bytes.
    pub fn read_some(&self, address: u64, buffer: &mut [u8]) -> usize {
        let mut done = 0;
        while done < buffer.len() {
            let at = address.wrapping_add(done as u64);
            // The file's offsets are signed; what lies above (the vsyscall page) is not readable this way.
            if at > i64::MAX as u64 {
                break;
            }
            match self.file.read_at(&mut buffer[done..], at) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        done
    }

    /// Fills the buffer.
    pub fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Error> {
        let done = self.read_some(address, buffer);
        if done < buffer.len() {
            return Err(Error::Memory {
                address: address.wrapping_add(done as u64),
            });
        }
        Ok(())
    }

    /// A number of eight bytes.
    pub fn read_word(&self, address: u64) -> Result<u64, Error> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Writes, also where the program itself may only read or execute.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        if address > i64::MAX as u64 {
            return Err(Error::Memory { address });
        }
        self.file
            .write_all_at(bytes, address)
            .map_err(|_| Error::Memory { address })
    }

    /// Reads only what the program itself may read.
    pub fn read_as_program(&self, address: u64, buffer: &mut [u8]) -> bool {
        let local = libc::iovec {
            iov_base: buffer.as_mut_ptr().cast(),
            iov_len: buffer.len(),
        };
        let remote = libc::iovec {
            iov_base: address as *mut libc::c_void,
            iov_len: buffer.len(),
        };
        // SAFETY: the local part is the live buffer; the remote one is an address of the other process alone.
        let count = unsafe { libc::process_vm_readv(self.tid.0, &local, 1, &remote, 1, 0) };
        count == buffer.len() as isize
    }

    /// Writes only where the program itself may write.
    pub fn write_as_program(&self, address: u64, bytes: &[u8]) -> bool {
        let local = libc::iovec {
            iov_base: bytes.as_ptr().cast_mut().cast(),
            iov_len: bytes.len(),
        };
        let remote = libc::iovec {
            iov_base: address as *mut libc::c_void,
            iov_len: bytes.len(),
        };
        // SAFETY: the local part is the live slice, which the call only reads.
        let count = unsafe { libc::process_vm_writev(self.tid.0, &local, 1, &remote, 1, 0) };
        count == bytes.len() as isize
    }
}
