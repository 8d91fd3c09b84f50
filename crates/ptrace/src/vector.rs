//! Vector and x87 state of a stopped thread: the XSAVE area, opened where debuggers look.

use crate::error::Error;
use crate::thread::{Stopped, request};
use std::ptr;

const NT_X86_XSTATE: usize = 0x202;
/// Legacy area and header, which every processor has.
const HEADER_END: usize = 576;
/// Where the kernel leaves the bits of the state components that the area has.
const FEATURES: usize = 464;
/// Which components the area holds in other than their initial state.
const IN_USE: usize = 512;
const AVX: u64 = 1 << 2;
/// Upper halves of zmm0..15.
const ZMM_HIGH: u64 = 1 << 6;

/// The XSAVE area of a thread in its standard (not compacted) form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorState {
    area: Vec<u8>,
}

impl VectorState {
    /// The whole area.
    pub(crate) fn area(&self) -> &[u8] {
        &self.area
    }

    /// The state that an area holds; `None` for one that is too small.
    pub(crate) fn of_area(area: Vec<u8>) -> Option<VectorState> {
        (area.len() >= HEADER_END).then_some(VectorState { area })
    }

    /// The 16 ymm registers; upper halves are zero where the processor has none.
    pub fn ymm(&self) -> [[u8; 32]; 16] {
        let mut all = [[0; 32]; 16];
        for (number, value) in all.iter_mut().enumerate() {
            value[..16].copy_from_slice(self.bytes(160 + number * 16, 16));
            if let Some(at) = self.upper_half(number)
                && self.in_use(AVX)
            {
                value[16..].copy_from_slice(self.bytes(at, 16));
            }
        }
        all
    }

    /// Changes the ymm registers.
    pub fn set_ymm(&mut self, all: &[[u8; 32]; 16]) {
        for (number, value) in all.iter().enumerate() {
            self.put(160 + number * 16, &value[..16]);
            if let Some(at) = self.upper_half(number) {
                if !self.in_use(AVX) && number == 0 {
                    let start = at;
                    self.area[start..start + 256].fill(0);
                }
                self.put(at, &value[16..32]);
            }
        }
        self.mark_in_use(0b10);
        if self.has_avx() {
            self.mark_in_use(AVX);
        }
    }

    /// Whether there are upper halves.
    pub fn has_avx(&self) -> bool {
        self.features() & AVX != 0 && self.area.len() >= HEADER_END + 256
    }

    /// Upper halves of zmm0..15, where the processor has them.
    pub fn zmm_high(&self) -> Option<[[u8; 32]; 16]> {
        // The component's place as on every processor that has it in the standard form.
        const PLACE: usize = 1152;
        if self.features() & ZMM_HIGH == 0 || self.area.len() < PLACE + 512 {
            return None;
        }
        Some(match self.in_use(ZMM_HIGH) {
            true => std::array::from_fn(|number| self.array(PLACE + number * 32)),
            false => [[0; 32]; 16],
        })
    }

    /// Vector control and status.
    pub fn mxcsr(&self) -> u32 {
        u32::from_le_bytes(self.array(24))
    }

    /// Changes it.
    pub fn set_mxcsr(&mut self, value: u32) {
        self.put(24, &value.to_le_bytes());
    }

    /// st0..st7, 10 bytes each.
    pub fn x87(&self) -> [[u8; 10]; 8] {
        std::array::from_fn(|number| self.array(32 + number * 16))
    }

    /// Control, status and abridged tag word.
    pub fn x87_control(&self) -> (u16, u16, u8) {
        (
            u16::from_le_bytes(self.array(0)),
            u16::from_le_bytes(self.array(2)),
            self.area[4],
        )
    }

    /// Last instruction's opcode, address, and operand's address.
    pub fn x87_last(&self) -> (u16, u64, u64) {
        (
            u16::from_le_bytes(self.array(6)),
            u64::from_le_bytes(self.array(8)),
            u64::from_le_bytes(self.array(16)),
        )
    }

    /// The full tag word (two bits a register) for the abridged one.
    pub fn x87_tags(&self) -> u16 {
        let (_, status, abridged) = self.x87_control();
        let top = usize::from(status >> 11 & 7);
        let mut tags = 0;
        for physical in 0..8 {
            let tag = if abridged & 1 << physical == 0 {
                3
            } else {
                let logical = (physical + 8 - top) % 8;
                tag_of(self.bytes(32 + logical * 16, 10))
            };
            tags |= tag << (physical * 2);
        }
        tags
    }

    fn upper_half(&self, number: usize) -> Option<usize> {
        self.has_avx().then_some(HEADER_END + number * 16)
    }

    fn features(&self) -> u64 {
        u64::from_le_bytes(self.array(FEATURES))
    }

    fn in_use(&self, component: u64) -> bool {
        u64::from_le_bytes(self.array(IN_USE)) & component != 0
    }

    fn mark_in_use(&mut self, component: u64) {
        let used = u64::from_le_bytes(self.array(IN_USE)) | component;
        self.put(IN_USE, &used.to_le_bytes());
    }

    fn bytes(&self, at: usize, length: usize) -> &[u8] {
        &self.area[at..at + length]
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        std::array::from_fn(|index| self.area[at + index])
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.area[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

/// 0 for a usual number, 1 for zero, 2 for the rest.
fn tag_of(register: &[u8]) -> u16 {
    let exponent = u16::from_le_bytes([register[8], register[9]]) & 0x7fff;
    let fraction = &register[..8];
    match exponent {
        0 if fraction.iter().all(|byte| *byte == 0) => 1,
        0 | 0x7fff => 2,
        _ if fraction[7] & 0x80 != 0 => 0,
        _ => 2,
    }
}

impl Stopped {
    /// Vector and x87 registers.
    pub fn vector_state(&self) -> Result<VectorState, Error> {
        let mut area = vec![0; 16 << 10];
        let mut part = libc::iovec {
            iov_base: area.as_mut_ptr().cast(),
            iov_len: area.len(),
        };
        let address = ptr::from_mut(&mut part) as usize;
        let tid = self.tid();
        request(
            libc::PTRACE_GETREGSET,
            tid,
            NT_X86_XSTATE,
            address,
            "vector registers",
        )?;
        area.truncate(part.iov_len.max(HEADER_END));
        Ok(VectorState { area })
    }

    /// Changes them.
    pub fn set_vector_state(&mut self, state: &VectorState) -> Result<(), Error> {
        let mut part = libc::iovec {
            iov_base: state.area.as_ptr().cast_mut().cast(),
            iov_len: state.area.len(),
        };
        let address = ptr::from_mut(&mut part) as usize;
        let tid = self.tid();
        request(
            libc::PTRACE_SETREGSET,
            tid,
            NT_X86_XSTATE,
            address,
            "vector registers",
        )
        .map(drop)
    }
}
