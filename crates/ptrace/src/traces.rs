//! The list of what we have put into programs, in memory that the guardian shares.

use crate::loans::{Loan, Loans};
use crate::process_files;
use crate::thread::Tid;
use std::collections::BTreeMap;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

/// Traces that can be listed at a time.
const CAPACITY: usize = 1 << 16;
const BREAKPOINT: u32 = 1 << 8;
const WATCHPOINT: u32 = 1 << 9;
const CUSHION: u32 = 1 << 10;
const SLOT: u32 = 1 << 11;
const UNBLOCKED: u32 = 1 << 12;
/// Tells the numbers of threads from addresses.
const OF_THREAD: u64 = 1 << 63;
/// Bytes of a place for an instruction out of line.
pub const SLOT_BYTES: usize = 32;
const WORDS: usize = SLOT_BYTES / 8;

/// One trace of ours. `pid` is written last and cleared first: an entry without it is free.
#[repr(C)]
struct Entry {
    pid: AtomicI32,
    /// Kind, and in the low byte the byte that was there before, or the length of the instruction.
    kind: AtomicU32,
    address: AtomicU64,
    start_time: AtomicU64,
    home: AtomicU64,
    bytes: [AtomicU64; WORDS],
}

/// What the list says of one trace.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trace {
    /// A breakpoint instruction, and what was there before.
    Breakpoint(u64, u8),
    /// Debug registers are in use.
    Watchpoint,
    /// A cushion, at this address.
    Cushion(u64),
    /// An instruction out of line.
    Slot(Slot),
    /// A thread that blocks SIGTRAP by itself.
    Unblocked(Tid),
}

/// A place where an instruction is being executed out of line.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Where it is.
    pub address: u64,
    /// Where the instruction belongs.
    pub home: u64,
    /// Bytes of the instruction at home.
    pub length: u8,
    /// Bytes of the copy.
    pub copy_length: u8,
    /// What was there before.
    pub original: [u8; SLOT_BYTES],
}

/// The shared list. Its first entry is none: the address in it is how many there have ever been, so that no time is lost
/// on the empty rest while programs run into what is left of us.
pub(crate) struct Table {
    entries: *const Entry,
    loans: Loans,
}

// SAFETY: the mapping is never unmapped, and all access is atomic.
unsafe impl Send for Table {}

impl Table {
    pub(crate) fn new() -> io::Result<Table> {
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
        Ok(Table {
            entries: address.cast_const().cast(),
            loans: Loans::new()?,
        })
    }

    fn entries(&self) -> &[Entry] {
        // SAFETY: the mapping has room for this many entries and lives as long as the process.
        unsafe { std::slice::from_raw_parts(self.entries, CAPACITY) }
    }

    /// How many entries, from the first on, may be in use.
    fn extent(&self) -> &AtomicU64 {
        &self.entries()[0].address
    }

    /// All threads that are not themselves.
    pub(crate) fn loans(&self) -> Vec<Loan> {
        self.loans.list()
    }

    /// All traces in processes that are still the same.
    pub(crate) fn list(&self) -> BTreeMap<Tid, Vec<Trace>> {
        let extent = self.extent().load(Ordering::Acquire) as usize;
        let mut list: BTreeMap<Tid, Vec<Trace>> = BTreeMap::new();
        let mut births: BTreeMap<Tid, u64> = BTreeMap::new();
        for entry in self.entries().get(1..extent).unwrap_or(&[]) {
            let pid = Tid(entry.pid.load(Ordering::Acquire));
            if pid.0 == 0 {
                continue;
            }
            let born = *births
                .entry(pid)
                .or_insert_with(|| process_files::start_time(pid).unwrap_or(0));
            if born == entry.start_time.load(Ordering::Relaxed) {
                list.entry(pid).or_default().extend(entry.trace());
            }
        }
        list
    }
}

impl Entry {
    fn trace(&self) -> Option<Trace> {
        let kind = self.kind.load(Ordering::Relaxed);
        let address = self.address.load(Ordering::Relaxed);
        Some(match kind & 0xff00 {
            BREAKPOINT => Trace::Breakpoint(address, kind as u8),
            WATCHPOINT => Trace::Watchpoint,
            CUSHION => Trace::Cushion(address),
            UNBLOCKED => Trace::Unblocked(Tid((address & !OF_THREAD) as i32)),
            SLOT => {
                let mut original = [0; SLOT_BYTES];
                for (chunk, word) in original.chunks_exact_mut(8).zip(&self.bytes) {
                    chunk.copy_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
                }
                Trace::Slot(Slot {
                    address,
                    home: self.home.load(Ordering::Relaxed),
                    length: kind as u8,
                    copy_length: (kind >> 16) as u8,
                    original,
                })
            }
            _ => return None,
        })
    }
}

/// The list of traces as the process that makes them sees it.
pub struct Traces {
    table: Table,
    free: Vec<usize>,
    fresh: usize,
    used: BTreeMap<(i32, u64), usize>,
    births: BTreeMap<i32, u64>,
}

impl Traces {
    pub(crate) fn new(table: Table) -> Traces {
        Traces {
            table,
            free: Vec::new(),
            fresh: 1,
            used: BTreeMap::new(),
            births: BTreeMap::new(),
        }
    }

    /// To be called before a breakpoint is written.
    pub fn breakpoint_placed(&mut self, pid: Tid, address: u64, original: u8) {
        self.put(pid, address, BREAKPOINT | u32::from(original), None);
    }

    /// To be called after the original byte is back.
    pub fn breakpoint_removed(&mut self, pid: Tid, address: u64) {
        self.take(pid, address);
    }

    /// To be called before an instruction is written out of line.
    pub fn slot_used(&mut self, pid: Tid, slot: &Slot) {
        let kind = SLOT | u32::from(slot.length) | u32::from(slot.copy_length) << 16;
        self.put(pid, slot.address, kind, Some(slot));
    }

    /// To be called after the original bytes are back.
    pub fn slot_released(&mut self, pid: Tid, address: u64) {
        self.take(pid, address);
    }

    /// Whether the process has watchpoints.
    pub fn watched(&mut self, pid: Tid, watched: bool) {
        if watched {
            self.put(pid, u64::MAX, WATCHPOINT, None);
        } else {
            self.take(pid, u64::MAX);
        }
    }

    /// The process has a cushion.
    pub fn cushioned(&mut self, pid: Tid, base: u64) {
        self.put(pid, base, CUSHION, None);
    }

    /// It has none any more.
    pub fn uncushioned(&mut self, pid: Tid, base: u64) {
        self.take(pid, base);
    }

    /// To be called before a thread's registers are changed to do something for us.
    pub fn lend(&mut self, loan: &Loan) {
        self.table.loans.lend(loan);
    }

    /// To be called when they are its own again.
    pub fn returned(&mut self, tid: Tid) {
        self.table.loans.returned(tid);
    }

    /// A thread blocked SIGTRAP, and does not any more.
    pub fn unblocked(&mut self, pid: Tid, tid: Tid) {
        self.put(pid, OF_THREAD | tid.0 as u64, UNBLOCKED, None);
    }

    /// It blocks it again, or is gone.
    pub fn blocked(&mut self, pid: Tid, tid: Tid) {
        self.take(pid, OF_THREAD | tid.0 as u64);
    }

    /// The process is gone, or has a new program.
    pub fn forget(&mut self, pid: Tid) {
        let keys: Vec<_> = self
            .used
            .range((pid.0, 0)..=(pid.0, u64::MAX))
            .map(|(key, _)| *key)
            .collect();
        for (pid, address) in keys {
            self.take(Tid(pid), address);
        }
        self.births.remove(&pid.0);
    }

    fn put(&mut self, pid: Tid, address: u64, kind: u32, slot: Option<&Slot>) {
        if self.used.contains_key(&(pid.0, address)) {
            return;
        }
        let index = match self.free.pop() {
            Some(index) => index,
            // A full list loses the safety net for this one trace, nothing else.
            None if self.fresh == CAPACITY => return,
            None => {
                self.fresh += 1;
                self.table
                    .extent()
                    .store(self.fresh as u64, Ordering::Release);
                self.fresh - 1
            }
        };
        let born = *self
            .births
            .entry(pid.0)
            .or_insert_with(|| process_files::start_time(pid).unwrap_or(0));
        let entry = &self.table.entries()[index];
        entry.kind.store(kind, Ordering::Relaxed);
        entry.address.store(address, Ordering::Relaxed);
        entry.start_time.store(born, Ordering::Relaxed);
        if let Some(slot) = slot {
            entry.home.store(slot.home, Ordering::Relaxed);
            for (word, chunk) in entry.bytes.iter().zip(slot.original.chunks_exact(8)) {
                let bytes = chunk.first_chunk().copied().unwrap_or_default();
                word.store(u64::from_le_bytes(bytes), Ordering::Relaxed);
            }
        }
        entry.pid.store(pid.0, Ordering::Release);
        self.used.insert((pid.0, address), index);
    }

    fn take(&mut self, pid: Tid, address: u64) {
        if let Some(index) = self.used.remove(&(pid.0, address)) {
            self.table.entries()[index].pid.store(0, Ordering::Release);
            self.free.push(index);
        }
    }
}
