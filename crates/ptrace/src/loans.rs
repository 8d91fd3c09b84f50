//! Threads that we have borrowed: what they were before, in memory that the guardian shares.
//!
//! While a thread makes a system call for us or executes a function that the debugger called, its registers are not its
//! own. If we die, the guardian puts them back.

use crate::process_files;
use crate::registers::{Registers, WORDS};
use crate::thread::{Stopped, Tid};
use crate::vector::VectorState;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// Threads that can be on loan at a time.
const CAPACITY: usize = 32;
/// Room for the largest area of vector registers.
const VECTOR_WORDS: usize = 1536;

/// One thread. `tid` is written last and cleared first: an entry without it is free.
#[repr(C)]
struct Entry {
    tid: AtomicI32,
    pid: AtomicI32,
    start_time: AtomicU64,
    mask: AtomicU64,
    registers: [AtomicU64; WORDS],
    /// Bytes of the vector registers; none if they stay as they are.
    vector_bytes: AtomicU64,
    vector: [AtomicU64; VECTOR_WORDS],
}

/// What a borrowed thread was.
#[derive(Clone, Debug)]
pub struct Loan {
    /// Whose.
    pub pid: Tid,
    /// Which.
    pub tid: Tid,
    /// What to put back.
    pub registers: Registers,
    /// What to put back.
    pub mask: u64,
    /// What to put back, if it is borrowed too.
    pub vector: Option<VectorState>,
}

impl Loan {
    /// Puts everything back.
    pub(crate) fn settle(&self, stopped: &mut Stopped) {
        /// The kernel's note that a wait is to be continued with what the thread remembers of it.
        const CONTINUE_WAIT: i64 = -516;
        let mut registers = self.registers;
        if self.vector.is_some() && registers.0.rax as i64 == CONTINUE_WAIT {
            // A function that was called may have waited since, and that is what the thread remembers.
            registers.0.rax = -i64::from(libc::EINTR) as u64;
            registers.0.orig_rax = u64::MAX;
        }
        let _ = stopped.set_registers(&registers);
        let _ = stopped.set_signal_mask(self.mask);
        if let Some(vector) = &self.vector {
            let _ = stopped.set_vector_state(vector);
        }
    }
}

/// The shared list.
pub(crate) struct Loans {
    entries: *const Entry,
}

// SAFETY: the mapping is never unmapped, and all access is atomic.
unsafe impl Send for Loans {}

impl Loans {
    pub(crate) fn new() -> io::Result<Loans> {
        // SAFETY: a fresh anonymous mapping; zeros are valid entries.
        let address = unsafe {
            libc::mmap(
                ptr::null_mut(),
                CAPACITY * size_of::<Entry>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Loans {
            entries: address.cast_const().cast(),
        })
    }

    fn entries(&self) -> &[Entry] {
        // SAFETY: the mapping has room for this many entries and lives as long as the process.
        unsafe { std::slice::from_raw_parts(self.entries, CAPACITY) }
    }

    /// To be called before a thread's registers are changed. With too many on loan this one has no safety net.
    pub(crate) fn lend(&self, loan: &Loan) {
        let free = |entry: &&Entry| entry.tid.load(Ordering::Relaxed) == 0;
        let Some(entry) = self.entries().iter().find(free) else {
            return;
        };
        let born = process_files::start_time(loan.pid).unwrap_or(0);
        entry.pid.store(loan.pid.0, Ordering::Relaxed);
        entry.start_time.store(born, Ordering::Relaxed);
        entry.mask.store(loan.mask, Ordering::Relaxed);
        for (place, word) in entry.registers.iter().zip(loan.registers.words()) {
            place.store(word, Ordering::Relaxed);
        }
        let area = loan.vector.as_ref().map_or(&[][..], VectorState::area);
        let area = if area.len() > VECTOR_WORDS * 8 {
            &[]
        } else {
            area
        };
        for (place, chunk) in entry.vector.iter().zip(area.chunks_exact(8)) {
            let bytes = chunk.first_chunk().copied().unwrap_or_default();
            place.store(u64::from_le_bytes(bytes), Ordering::Relaxed);
        }
        let length = area.len() as u64;
        entry.vector_bytes.store(length, Ordering::Relaxed);
        entry.tid.store(loan.tid.0, Ordering::Release);
    }

    /// To be called when the thread is as it was, or gone.
    pub(crate) fn returned(&self, tid: Tid) {
        for entry in self.entries() {
            if entry.tid.load(Ordering::Relaxed) == tid.0 {
                entry.tid.store(0, Ordering::Release);
            }
        }
    }

    /// All threads on loan.
    pub(crate) fn list(&self) -> Vec<Loan> {
        let entries = self.entries().iter();
        entries.filter_map(Entry::loan).collect()
    }
}

impl Entry {
    fn loan(&self) -> Option<Loan> {
        let tid = Tid(self.tid.load(Ordering::Acquire));
        let pid = Tid(self.pid.load(Ordering::Relaxed));
        let born = self.start_time.load(Ordering::Relaxed);
        if tid.0 == 0 || process_files::start_time(pid) != Some(born) {
            return None;
        }
        let words = std::array::from_fn(|at| self.registers[at].load(Ordering::Relaxed));
        let length = self.vector_bytes.load(Ordering::Relaxed) as usize;
        let area: Vec<u8> = self.vector[..(length / 8).min(VECTOR_WORDS)]
            .iter()
            .flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes())
            .collect();
        Some(Loan {
            pid,
            tid,
            registers: Registers::from_words(words),
            mask: self.mask.load(Ordering::Relaxed),
            vector: VectorState::of_area(area),
        })
    }
}
