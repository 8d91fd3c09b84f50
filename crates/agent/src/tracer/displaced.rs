//! Executing an instruction out of line, so that the breakpoint over it can stay for the other threads.
//!
//! The instruction is written into unused bytes behind the code of a module near it (the rest of the last page of its
//! code), executed there in one step, and the thread is put where it would be. The bytes are put back afterwards. A jump
//! home follows the instruction: should we die in between, nobody has to put the thread anywhere.

use super::process::{Mapping, segment_tails};
use iced_x86::{Encoder, FlowControl, Instruction, Mnemonic};
use std::collections::BTreeMap;
use wayfarer_ptrace::traces::{SLOT_BYTES, Slot, Traces};
use wayfarer_ptrace::{Memory, Registers, Tid, process_files};

const SLOT: u64 = SLOT_BYTES as u64;
/// `jmp [rip]`, with the target behind it.
const JUMP: [u8; 6] = [0xff, 0x25, 0, 0, 0, 0];
/// Reach of a displacement, with some to spare.
const REACH: u64 = 0x7000_0000;

/// `syscall`, and a jump to itself.
const CALL_AND_WAIT: [u8; 4] = [0x0f, 0x05, 0xeb, 0xfe];
/// Where the jump is.
pub const WAIT: u64 = 2;

/// A step out of line that is under way.
#[derive(Clone, Debug)]
pub struct Displaced {
    /// Where the instruction belongs.
    pub address: u64,
    /// Behind it.
    pub next: u64,
    /// Where it is being executed.
    pub slot: u64,
    /// Behind it there.
    pub slot_next: u64,
    /// It leaves its return address in rcx.
    pub system_call: bool,
}

/// Where a thread is after it stopped in the middle of a step out of line.
pub enum Place {
    /// Done: the registers as they would be.
    Done(Registers),
    /// The instruction has not been executed, or has been only in part (rep): the registers to start it anew.
    NotDone(Registers),
}

impl Displaced {
    /// The registers as if the instruction had been executed where it belongs.
    pub fn correct(&self, mut registers: Registers) -> Place {
        let pc = registers.0.rip;
        if pc == self.slot {
            registers.0.rip = self.address;
            return Place::NotDone(registers);
        }
        if pc == self.slot_next {
            registers.0.rip = self.next;
            if self.system_call {
                registers.0.rcx = self.next;
            }
        }
        Place::Done(registers)
    }
}

/// The places for instructions out of line of an address space.
#[derive(Clone, Default)]
pub struct Slots {
    areas: Vec<(u64, u64)>,
    used: BTreeMap<u64, [u8; SLOT_BYTES]>,
}

impl Slots {
    /// Writes a copy of the instruction near it; `None` if that is not possible.
    pub fn place(
        &mut self,
        instruction: &Instruction,
        memory: &Memory,
        pid: Tid,
        traces: Option<&mut Traces>,
    ) -> Option<Displaced> {
        // What changes the flow depends on where it is: such instructions are emulated, or stepped in place.
        if !matches!(instruction.flow_control(), FlowControl::Next)
            && instruction.mnemonic() != Mnemonic::Syscall
        {
            return None;
        }
        let slot = self.free_slot(instruction.ip(), memory, pid)?;
        let mut encoder = Encoder::new(64);
        let length = encoder.encode(instruction, slot).ok()?;
        let mut bytes = encoder.take_buffer();
        bytes.extend(JUMP);
        bytes.extend(instruction.next_ip().to_le_bytes());
        let mut original = [0; SLOT_BYTES];
        memory.read(slot, &mut original).ok()?;
        if let Some(traces) = traces {
            let listed = Slot {
                address: slot,
                home: instruction.ip(),
                length: instruction.len() as u8,
                copy_length: length as u8,
                original,
            };
            traces.slot_used(memory.tid(), &listed);
        }
        memory.write(slot, &bytes).ok()?;
        self.used.insert(slot, original);
        Some(Displaced {
            address: instruction.ip(),
            next: instruction.next_ip(),
            slot,
            slot_next: slot + length as u64,
            system_call: instruction.mnemonic() == Mnemonic::Syscall,
        })
    }

    /// A place for system calls on our behalf, with a loop behind it in which a thread waits if we die.
    pub fn place_call(&mut self, memory: &Memory, pid: Tid, traces: &mut Traces) -> Option<u64> {
        let mut slot = self.any_free();
        if slot.is_none() {
            self.look_for_areas(memory, pid);
            slot = self.any_free();
        }
        let address = slot?;
        let mut original = [0; SLOT_BYTES];
        memory.read(address, &mut original).ok()?;
        traces.slot_used(
            memory.tid(),
            &Slot {
                address,
                home: address,
                length: 0,
                copy_length: 0,
                original,
            },
        );
        self.used.insert(address, original);
        memory.write(address, &CALL_AND_WAIT).ok()?;
        Some(address)
    }

    /// Puts all bytes back. Nobody may be in a slot any more.
    pub fn release_all(&mut self, memory: &Memory, traces: &mut Traces) {
        let used: Vec<u64> = self.used.keys().copied().collect();
        for slot in used {
            self.release(slot, memory, traces);
        }
    }

    /// Puts the bytes of a slot back.
    pub fn release(&mut self, slot: u64, memory: &Memory, traces: &mut Traces) {
        if let Some(original) = self.used.remove(&slot) {
            let _ = memory.write(slot, &original);
            traces.slot_released(memory.tid(), slot);
        }
    }

    /// Puts all bytes back in the memory of a child, which has nobody in the slots.
    pub fn scrub(&self, memory: &Memory) {
        for (slot, original) in &self.used {
            let _ = memory.write(*slot, original);
        }
    }

    /// Puts the original bytes into what was read at `address`.
    pub fn hide(&self, address: u64, buffer: &mut [u8]) {
        let end = address.saturating_add(buffer.len() as u64);
        let from = address.saturating_sub(SLOT);
        for (slot, original) in self.used.range(from..end) {
            for (index, byte) in original.iter().enumerate() {
                let at = slot + index as u64;
                if at >= address && at < end {
                    buffer[(at - address) as usize] = *byte;
                }
            }
        }
    }

    fn free_slot(&mut self, near: u64, memory: &Memory, pid: Tid) -> Option<u64> {
        if let Some(slot) = self.free_in_reach(near) {
            return Some(slot);
        }
        self.look_for_areas(memory, pid);
        self.free_in_reach(near)
    }

    fn look_for_areas(&mut self, memory: &Memory, pid: Tid) {
        let mappings: Vec<Mapping> = process_files::maps(pid);
        self.areas = segment_tails(&mappings, memory)
            .into_iter()
            .filter(|(low, high)| high - low >= SLOT)
            .collect();
    }

    fn any_free(&self) -> Option<u64> {
        let places = self.areas.iter();
        places
            .flat_map(|(low, high)| (*low..=high - SLOT).step_by(SLOT as usize))
            .find(|slot| !self.used.contains_key(slot))
    }

    fn free_in_reach(&self, near: u64) -> Option<u64> {
        self.areas
            .iter()
            .filter(|(low, _)| low.abs_diff(near) < REACH)
            .flat_map(|(low, high)| (*low..=high - SLOT).step_by(SLOT as usize))
            .find(|slot| !self.used.contains_key(slot))
    }
}
