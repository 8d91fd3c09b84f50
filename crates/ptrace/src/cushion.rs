//! What keeps a program alive that runs into a trap of ours after our death (see
//! `cushion_code` for how).
//!
//! A piece of memory (64 KiB) with the code and the table of our breakpoints, and a handler that
//! replaces the program's action for SIGTRAP. The handler steps back before a breakpoint and takes
//! it out if that has not been done, drops traps of steps and watchpoints, and hands the program's
//! own traps to the program. Memory and action are undone when we leave, by us or by the guardian.

use crate::cushion_code::{COUNT, NEW_ACTION, OLD_ACTION, RESTORER, SIZE, TABLE, code};
use crate::errand::Errand;
use crate::error::Error;
use crate::memory::Memory;
use crate::process_files::{self, Mapping};
use crate::thread::Tid;
use std::collections::BTreeMap;

const ENTRY: usize = 16;
const CAPACITY: usize = (SIZE - TABLE) / ENTRY;
const ACTION: usize = 32;
const RED_ZONE: u64 = 128;
/// The kernel's mask has 64 bits.
const MASK_BYTES: u64 = 8;
const SA_RESTORER: u64 = 0x0400_0000;
const BREAKPOINT: u8 = 0xcc;

/// A cushion in a process.
#[derive(Clone, Debug)]
pub struct Cushion {
    base: u64,
    used: BTreeMap<u64, usize>,
    free: Vec<usize>,
    fresh: usize,
}

impl Cushion {
    /// Lays a cushion with the help of a stopped thread.
    pub fn lay(errand: &mut Errand, memory: &Memory) -> Result<Cushion, Error> {
        let protection = (libc::PROT_READ | libc::PROT_EXEC) as u64;
        let kind = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as u64;
        let arguments = [0, SIZE as u64, protection, kind, u64::MAX, 0];
        let base = errand.call(libc::SYS_mmap, arguments)?;
        let cushion = Cushion::at(base);
        cushion.fill(errand, memory).inspect_err(|_| {
            let _ = errand.call(libc::SYS_munmap, [base, SIZE as u64, 0, 0, 0, 0]);
        })?;
        Ok(cushion)
    }

    fn at(base: u64) -> Cushion {
        Cushion {
            base,
            used: BTreeMap::new(),
            free: Vec::new(),
            fresh: 0,
        }
    }

    /// Puts the action in place again, if it got lost.
    pub fn spread(base: u64, errand: &mut Errand) -> Result<(), Error> {
        Cushion::at(base).install(errand, NEW_ACTION)
    }

    fn fill(&self, errand: &mut Errand, memory: &Memory) -> Result<(), Error> {
        let mut old = action(errand, memory)?;
        let leftover = u64_of(&old, 0);
        let listed = Cushion::listed(leftover, memory);
        if let Some(listed) = &listed {
            // An agent died here together with its guardian: what it left is cleaned up now.
            for (address, original) in listed {
                take_out(memory, *address, *original);
            }
            memory.read(leftover + OLD_ACTION as u64, &mut old)?;
        }
        let word = |at: usize| u64_of(&old, at);
        let (mut flags, mut mask) = (libc::SA_ONSTACK as u64, u64::MAX);
        if word(0) > libc::SIG_IGN as u64 {
            // The program's handler is to find what it expects.
            flags = word(8) & !(libc::SA_RESETHAND as u64);
            mask = word(24);
        }
        flags |= libc::SA_SIGINFO as u64 | SA_RESTORER;
        let new: Vec<u8> = [self.base, flags, self.base + RESTORER as u64, mask]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        memory.write(self.base, code())?;
        memory.write(self.base + OLD_ACTION as u64, &old)?;
        memory.write(self.base + NEW_ACTION as u64, &new)?;
        self.install(errand, NEW_ACTION)?;
        if listed.is_some() {
            Cushion::unmap(leftover, errand)?;
        }
        Ok(())
    }

    fn install(&self, errand: &mut Errand, which: usize) -> Result<(), Error> {
        let (signal, action) = (libc::SIGTRAP as u64, self.base + which as u64);
        let arguments = [signal, action, 0, MASK_BYTES, 0, 0];
        errand.call(libc::SYS_rt_sigaction, arguments).map(drop)
    }

    /// Where it lies.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Whether an address is in it.
    pub fn contains(base: u64, address: u64) -> bool {
        (base..base + SIZE as u64).contains(&address)
    }

    /// Puts the program's action back, unless it has a new one of its own.
    pub fn take_off(base: u64, errand: &mut Errand, memory: &Memory) -> Result<(), Error> {
        let now = u64_of(&action(errand, memory)?, 0);
        // The kernel drops a handler when a thread that blocks its signal runs into a breakpoint.
        if now != base && now != libc::SIG_DFL as u64 {
            return Ok(());
        }
        Cushion::at(base).install(errand, OLD_ACTION)
    }

    /// Gives the memory back. No thread may be in it.
    pub fn unmap(base: u64, errand: &mut Errand) -> Result<(), Error> {
        let arguments = [base, SIZE as u64, 0, 0, 0, 0];
        errand.call(libc::SYS_munmap, arguments).map(drop)
    }

    /// Looks for a cushion that was being laid.
    pub(crate) fn find(pid: Tid, memory: &Memory) -> Option<u64> {
        let fits = |mapping: &Mapping| {
            let mut found = [0; OLD_ACTION];
            mapping.path.is_empty()
                && mapping.executable
                && !mapping.writable
                && mapping.high - mapping.low == SIZE as u64
                && memory.read(mapping.low, &mut found).is_ok()
                && (found == *code() || found == [0; OLD_ACTION])
        };
        let mappings = process_files::maps(pid);
        mappings
            .iter()
            .find(|mapping| fits(mapping))
            .map(|mapping| mapping.low)
    }

    /// The breakpoints that the table of a cushion at `base` lists; `None` if there is no cushion.
    pub(crate) fn listed(base: u64, memory: &Memory) -> Option<Vec<(u64, u8)>> {
        let mut found = [0; OLD_ACTION];
        let mut count = [0; 8];
        memory.read(base, &mut found).ok()?;
        memory.read(base + COUNT as u64, &mut count).ok()?;
        if found != *code() {
            return None;
        }
        let count = (u64::from_le_bytes(count) as usize).min(CAPACITY);
        let mut table = vec![0; count * ENTRY];
        memory.read(base + TABLE as u64, &mut table).ok()?;
        let entries = table.chunks_exact(ENTRY).filter_map(|entry| {
            let address = u64::from_le_bytes(entry.first_chunk().copied()?);
            (address != 0).then_some((address, entry[8]))
        });
        Some(entries.collect())
    }

    /// To be called before a breakpoint is written.
    pub fn breakpoint_placed(&mut self, memory: &Memory, address: u64, original: u8) {
        if original == BREAKPOINT || self.used.contains_key(&address) {
            return;
        }
        let index = match self.free.pop() {
            Some(index) => index,
            // Without an entry there is still the guardian.
            None if self.fresh == CAPACITY => return,
            None => self.fresh,
        };
        let mut entry = [0; ENTRY];
        entry[..8].copy_from_slice(&address.to_le_bytes());
        entry[8] = original;
        let _ = memory.write(self.entry(index), &entry);
        if index == self.fresh {
            self.fresh += 1;
            let count = (self.fresh as u64).to_le_bytes();
            let _ = memory.write(self.base + COUNT as u64, &count);
        }
        self.used.insert(address, index);
    }

    /// To be called after the original byte is back.
    pub fn breakpoint_removed(&mut self, memory: &Memory, address: u64) {
        if let Some(index) = self.used.remove(&address) {
            let _ = memory.write(self.entry(index), &[0; ENTRY]);
            self.free.push(index);
        }
    }

    fn entry(&self, index: usize) -> u64 {
        self.base + (TABLE + index * ENTRY) as u64
    }
}

/// Puts the original byte back where a breakpoint is still.
pub(crate) fn take_out(memory: &Memory, address: u64, original: u8) {
    let mut now = [0];
    if memory.read(address, &mut now).is_ok() && now == [BREAKPOINT] {
        let _ = memory.write(address, &[original]);
    }
}

/// The program's present action for SIGTRAP, by way of bytes below its stack that nothing uses.
fn action(errand: &mut Errand, memory: &Memory) -> Result<[u8; ACTION], Error> {
    let place = errand
        .registers()
        .0
        .rsp
        .wrapping_sub(RED_ZONE + ACTION as u64)
        & !15;
    let (mut before, mut action) = ([0; ACTION], [0; ACTION]);
    memory.read(place, &mut before)?;
    let arguments = [libc::SIGTRAP as u64, 0, place, MASK_BYTES, 0, 0];
    let asked = errand.call(libc::SYS_rt_sigaction, arguments);
    memory.read(place, &mut action)?;
    memory.write(place, &before)?;
    asked.map(|_| action)
}

fn u64_of(bytes: &[u8; ACTION], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
