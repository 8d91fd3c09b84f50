//! A second process that cleans up after the first if that dies without doing so.
//!
//! A breakpoint left in the memory of a program kills it, and so does a watchpoint left in its debug registers. The
//! parent therefore only watches, and the child does the work: it keeps a list of its traces in memory that both
//! share. The guardian traces the worker's tracing thread, for its exit stop alone: there the thread is beyond help
//! but the kernel has not let go of the programs yet. The guardian puts their bytes back, lets the thread die, and
//! clears debug registers afterwards.

use crate::attach::attach;
use crate::memory::Memory;
use crate::process_files;
use crate::stop::{Report, Stop};
use crate::thread::{Going, Tid, request};
use crate::wait::{wait, wait_for};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Traces that can be listed at a time.
const CAPACITY: usize = 1 << 16;
const BREAKPOINT: u32 = 1 << 8;
const WATCHPOINT: u32 = 1 << 9;

/// One trace of ours. `pid` is written last and cleared first: an entry without it is free.
#[repr(C)]
struct Entry {
    pid: AtomicI32,
    /// Kind, and in the low byte what was there before.
    kind: AtomicU32,
    address: AtomicU64,
    start_time: AtomicU64,
}

/// The shared list. Its first entry is none: the address in it is how many there have ever been, so that no time is lost
/// on the empty rest while programs run into what is left of us.
struct Table {
    entries: *const Entry,
}

// SAFETY: the mapping is never unmapped, and all access is atomic.
unsafe impl Send for Table {}

impl Table {
    fn new() -> io::Result<Table> {
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

    fn used(&self) -> &[Entry] {
        let extent = self.extent().load(Ordering::Acquire) as usize;
        self.entries().get(1..extent).unwrap_or(&[])
    }
}

/// The list of traces as the process that makes them sees it.
pub struct Traces {
    table: Table,
    free: Vec<usize>,
    fresh: usize,
    used: BTreeMap<(i32, u64), usize>,
}

impl Traces {
    fn new(table: Table) -> Traces {
        Traces {
            table,
            free: Vec::new(),
            fresh: 1,
            used: BTreeMap::new(),
        }
    }

    /// To be called before a breakpoint is written.
    pub fn breakpoint_placed(&mut self, pid: Tid, address: u64, original: u8) {
        self.put(pid, address, BREAKPOINT | u32::from(original));
    }

    /// To be called after the original byte is back.
    pub fn breakpoint_removed(&mut self, pid: Tid, address: u64) {
        self.take(pid, address);
    }

    /// Whether the process has watchpoints.
    pub fn watched(&mut self, pid: Tid, watched: bool) {
        if watched {
            self.put(pid, u64::MAX, WATCHPOINT);
        } else {
            self.take(pid, u64::MAX);
        }
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
    }

    fn put(&mut self, pid: Tid, address: u64, kind: u32) {
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
        let entry = &self.table.entries()[index];
        entry.kind.store(kind, Ordering::Relaxed);
        entry.address.store(address, Ordering::Relaxed);
        let start_time = process_files::start_time(pid).unwrap_or(0);
        entry.start_time.store(start_time, Ordering::Relaxed);
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

/// What the working process gets.
pub struct Guarded {
    /// To be kept up to date by the tracing thread.
    pub traces: Traces,
    /// To be used by the tracing thread.
    pub life_line: LifeLine,
}

/// How the tracing thread makes itself known to the guardian. Its closing means that the worker is dead.
pub struct LifeLine {
    end: File,
}

impl LifeLine {
    /// Makes the calling thread the one whose death counts.
    pub fn announce(&mut self) -> io::Result<()> {
        // SAFETY: the call only returns a number.
        let tid = unsafe { libc::gettid() };
        self.end.write_all(&tid.to_ne_bytes())
    }
}

/// Which side of the fork we are on.
pub enum Side {
    /// The guardian, after all is over: the exit status of the working process.
    Guardian(i32),
    /// The process that works.
    Worker(Guarded),
}

/// Splits the process in guardian and worker. The worker gets SIGTERM when the guardian dies. To be called while the
/// process has only one thread.
pub fn split() -> io::Result<Side> {
    let table = Table::new()?;
    let (reader, writer) = pipe()?;
    // SAFETY: the process has one thread, as the caller promises, so the child is a whole process.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            drop(reader);
            // SAFETY: asks the kernel for a signal; touches no memory.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) };
            Ok(Side::Worker(Guarded {
                traces: Traces::new(table),
                life_line: LifeLine { end: writer },
            }))
        }
        child => {
            drop(writer);
            Ok(Side::Guardian(guard(&table, reader, child)))
        }
    }
}

fn pipe() -> io::Result<(File, File)> {
    let mut ends: [RawFd; 2] = [0; 2];
    // SAFETY: the call stores two fresh descriptors that nobody else owns.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])))
    }
}

fn guard(table: &Table, mut reader: File, child: i32) -> i32 {
    let mut number = [0; 4];
    let mut traced = None;
    if reader.read_exact(&mut number).is_ok() {
        let tid = Tid(i32::from_ne_bytes(number));
        let options = libc::PTRACE_O_TRACEEXIT as usize;
        traced = request(libc::PTRACE_SEIZE, tid, 0, options, "guarding")
            .ok()
            .map(|_| tid);
    }
    let watched = match traced {
        Some(tid) => watch_over(table, tid),
        None => {
            // Without leave to trace, the end of the pipe must do, although it comes late.
            let _ = reader.read_to_end(&mut Vec::new());
            restore(table)
        }
    };
    for pid in watched {
        clear_watches(pid);
    }
    let mut status = 0;
    // SAFETY: the child is ours; the call stores one number.
    while unsafe { libc::waitpid(child, &mut status, 0) } == child {
        if libc::WIFEXITED(status) {
            return libc::WEXITSTATUS(status);
        }
        if libc::WIFSIGNALED(status) {
            return 128 + libc::WTERMSIG(status);
        }
    }
    0
}

/// Waits for the end of the tracing thread and cleans up after it. The processes whose debug registers are to be
/// cleared.
fn watch_over(table: &Table, tid: Tid) -> BTreeSet<Tid> {
    let mut watched = BTreeSet::new();
    loop {
        match wait_for(tid) {
            Some(Report::Stopped(thread, Stop::Exit(_))) => {
                watched = restore(table);
                let _ = thread.resume(Going::On, None);
            }
            Some(Report::Stopped(thread, Stop::Signal(signal))) => {
                let _ = thread.resume(Going::On, Some(signal));
            }
            Some(Report::Stopped(thread, Stop::Group(_))) => {
                let _ = thread.resume(Going::Listening, None);
            }
            Some(Report::Stopped(thread, _)) => {
                let _ = thread.resume(Going::On, None);
            }
            Some(Report::Ended(..)) | None => return watched,
        }
    }
}

/// Undoes what the list says. Most of the time it is empty: the worker has cleaned up.
fn restore(table: &Table) -> BTreeSet<Tid> {
    let mut memories: BTreeMap<i32, Option<Memory>> = BTreeMap::new();
    let mut watched = BTreeSet::new();
    for entry in table.used() {
        let pid = entry.pid.load(Ordering::Acquire);
        if pid == 0 {
            continue;
        }
        let kind = entry.kind.load(Ordering::Relaxed);
        if kind & WATCHPOINT != 0 {
            watched.insert(Tid(pid));
            continue;
        }
        let memory = memories.entry(pid).or_insert_with(|| {
            let born = process_files::start_time(Tid(pid)).unwrap_or(0);
            (born == entry.start_time.load(Ordering::Relaxed))
                .then(|| Memory::open(Tid(pid)).ok())
                .flatten()
        });
        let address = entry.address.load(Ordering::Relaxed);
        if let Some(memory) = memory {
            let mut now = [0];
            if memory.read(address, &mut now).is_ok() && now == [0xcc] {
                let _ = memory.write(address, &[kind as u8]);
            }
        }
    }
    watched
}

/// Takes a process for a moment to clear the debug registers of its threads.
fn clear_watches(pid: Tid) {
    let deadline = Instant::now() + Duration::from_secs(2);
    // The dead worker's hold on it may last a little longer than its pipe.
    let attached = loop {
        match attach(pid) {
            Ok(attached) => break attached,
            Err(error) if error.is_gone() || Instant::now() > deadline => return,
            Err(_) => std::thread::sleep(Duration::from_micros(200)),
        }
    };
    let mut left = attached.threads.len();
    while left > 0 && Instant::now() < deadline {
        match wait() {
            Some(Report::Stopped(mut thread, stop)) => {
                let _ = thread.set_watches(&[None; crate::debug_registers::SLOTS]);
                let signal = match stop {
                    Stop::Signal(signal) if signal != libc::SIGTRAP => Some(signal),
                    _ => None,
                };
                let _ = thread.detach(signal);
                left -= 1;
            }
            Some(Report::Ended(..)) => left -= 1,
            None => std::thread::sleep(Duration::from_micros(200)),
        }
    }
}
