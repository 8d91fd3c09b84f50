//! A process of the session, and the address space it lives in.

use super::displaced::Slots;
use super::watch::Watched;
use iced_x86::Instruction;
use std::collections::BTreeMap;
use wayfarer_backend::{BreakpointId, ProcessId, ThreadId};
use wayfarer_ptrace::{Cushion, Error, Memory, Tid};

/// The agent's number of an address space. A vfork child has its parent's until it execs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpaceId(pub u64);

/// One process.
pub struct Process {
    /// Ours.
    pub id: ProcessId,
    /// The kernel's.
    pub pid: Tid,
    /// Who made it, if that is in the session.
    pub parent: Option<ProcessId>,
    /// Its memory.
    pub space: SpaceId,
    /// Killed with the session instead of released.
    pub launched: bool,
    /// Its threads, oldest first.
    pub threads: Vec<ThreadId>,
    /// Number of the next thread.
    pub next_number: u32,
    /// Its memory is its parent's.
    pub shares_memory: bool,
    /// Where its dynamic linker tells of libraries.
    pub linker: Option<super::libraries::Linker>,
    /// The contents of its debug registers.
    pub watched: Watched,
    /// It was killed, and its end is still to be reported.
    pub killed: bool,
    /// It is being let go: who stops is detached at once.
    pub leaving: bool,
    /// Its name in the trace, in a replay.
    pub name: Option<String>,
}

/// Who needs a breakpoint instruction at an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    /// A breakpoint of the debugger's, in this process.
    Breakpoint(ProcessId, BreakpointId),
    /// A thread that runs to here.
    Goal(ThreadId),
    /// The library events of this process.
    Libraries(ProcessId),
}

/// A breakpoint instruction in memory.
#[derive(Clone)]
pub struct Inserted {
    /// What was there.
    pub original: u8,
    /// Who needs it; never empty.
    pub owners: Vec<Owner>,
    /// The instruction that it hides, once it was needed.
    pub instruction: Option<Instruction>,
    /// What is there faults anyway, and must be found as it is by the handler that answers it: nothing is written.
    pub answered: bool,
}

/// An address space.
pub struct Space {
    /// Its bytes.
    pub memory: Memory,
    /// Our breakpoint instructions.
    pub inserted: BTreeMap<u64, Inserted>,
    /// Where instructions can be executed out of line.
    pub slots: Slots,
    /// This thread steps over a breakpoint that is taken out meanwhile: nobody else may run.
    pub exclusive: Option<Exclusive>,
    /// The guardian shall know of our traces.
    pub guarded: bool,
    /// What it falls on if we die.
    pub cushion: Protection,
    /// When it was last looked whether that is still there.
    pub cushion_seen_ns: u64,
}

/// Whether a program has a cushion.
#[derive(Clone)]
pub enum Protection {
    /// It is not needed, or there was no occasion yet.
    Absent,
    /// It has.
    Laid(Cushion),
    /// It cannot have one, or is being let go.
    Refused,
}

/// A step in place.
#[derive(Clone, Copy, Debug)]
pub struct Exclusive {
    /// Who steps.
    pub thread: ThreadId,
    /// Over what.
    pub address: u64,
    /// All others are stopped, the breakpoint is out, the thread is on its way.
    pub under_way: bool,
}

/// The instruction that we write.
pub const BREAKPOINT: u8 = 0xcc;

impl Space {
    /// The memory that the process has now.
    pub fn open(pid: Tid, guarded: bool) -> Result<Space, Error> {
        Ok(Space {
            memory: Memory::open(pid)?,
            inserted: BTreeMap::new(),
            slots: Slots::default(),
            exclusive: None,
            guarded,
            cushion: Protection::Absent,
            cushion_seen_ns: 0,
        })
    }

    /// Reads as if we were not there; the number of bytes.
    pub fn read(&self, address: u64, buffer: &mut [u8]) -> usize {
        let done = self.memory.read_some(address, buffer);
        self.hide(address, &mut buffer[..done]);
        done
    }

    /// Puts the original bytes into what was read at `address`.
    pub fn hide(&self, address: u64, buffer: &mut [u8]) {
        let end = address.saturating_add(buffer.len() as u64);
        for (at, inserted) in self.inserted.range(address..end) {
            buffer[(at - address) as usize] = inserted.original;
        }
        self.slots.hide(address, buffer);
    }

    /// Writes as if we were not there: our breakpoints stay, over the new bytes.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        let end = address.saturating_add(bytes.len() as u64);
        // Also those whose instruction begins before the range and reaches into it.
        let near = address.saturating_sub(16)..end;
        let mut real = bytes.to_vec();
        for (at, inserted) in self.inserted.range(address..end) {
            if !inserted.answered {
                real[(at - address) as usize] = BREAKPOINT;
            }
        }
        self.memory.write(address, &real)?;
        for (at, inserted) in self.inserted.range_mut(near) {
            inserted.instruction = None;
            if *at >= address {
                inserted.original = bytes[(at - address) as usize];
            }
        }
        Ok(())
    }
}

pub use wayfarer_ptrace::process_files::Mapping;

/// The unused rest of the last page of each module's code.
pub fn segment_tails(mappings: &[Mapping], memory: &Memory) -> Vec<(u64, u64)> {
    let mut tails = Vec::new();
    for image in crate::image::images(mappings, memory) {
        for segment in image.segments.iter().filter(|segment| segment.executable) {
            let low = segment.high.next_multiple_of(16);
            let high = segment.high.next_multiple_of(4096);
            let mapped = mappings
                .iter()
                .any(|mapping| mapping.executable && mapping.low < low && high <= mapping.high);
            if mapped && low < high {
                tails.push((low, high));
            }
        }
    }
    tails
}
