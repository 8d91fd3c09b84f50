//! Hardware watchpoints and breakpoints in the debug registers of a thread.

use crate::error::Error;
use crate::thread::{Stopped, request};

/// Debug registers that hold addresses.
pub const SLOTS: usize = 4;

/// When a watchpoint triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchCondition {
    /// At writes.
    Write,
    /// At reads and writes; the hardware knows no reads alone.
    Access,
    /// Before an instruction that begins there is executed; of length 1.
    Execute,
}

/// What one debug register watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// First byte; a multiple of `length`.
    pub address: u64,
    /// 1, 2, 4 or 8.
    pub length: u8,
    /// When.
    pub condition: WatchCondition,
}

impl Watch {
    /// The four bits of the control register: length and condition.
    fn control(self) -> u64 {
        let length = match self.length {
            1 => 0b00,
            2 => 0b01,
            4 => 0b11,
            _ => 0b10,
        };
        let condition = match self.condition {
            WatchCondition::Write => 0b01,
            WatchCondition::Access => 0b11,
            WatchCondition::Execute => 0b00,
        };
        length << 2 | condition
    }
}

/// Covers a range with aligned pieces, or says that four registers are too few.
pub fn cover(address: u64, length: u64, condition: WatchCondition) -> Option<Vec<Watch>> {
    let end = address.checked_add(length)?;
    let mut pieces = Vec::new();
    let mut at = address;
    while at < end {
        if pieces.len() == SLOTS {
            return None;
        }
        let piece = [8, 4, 2, 1]
            .into_iter()
            .find(|size| at.is_multiple_of(*size) && at + size <= end)?;
        pieces.push(Watch {
            address: at,
            length: piece as u8,
            condition,
        });
        at += piece;
    }
    (!pieces.is_empty()).then_some(pieces)
}

impl Stopped {
    /// Sets all watchpoints of the thread; `None` is an unused register.
    pub fn set_watches(&mut self, watches: &[Option<Watch>; SLOTS]) -> Result<(), Error> {
        // Off first: the kernel refuses addresses that do not fit what the control register still says.
        self.write_debug_register(7, 0)?;
        let mut control = 0;
        for (slot, watch) in watches.iter().enumerate() {
            self.write_debug_register(slot, watch.map_or(0, |watch| watch.address))?;
            if let Some(watch) = watch {
                control |= 1 << (slot * 2);
                control |= watch.control() << (16 + slot * 4);
            }
        }
        if control != 0 {
            self.write_debug_register(7, control)?;
        }
        Ok(())
    }

    /// Which debug registers have triggered since the last call.
    pub fn take_triggered(&mut self) -> Result<[bool; SLOTS], Error> {
        let status = self.read_debug_register(6)?;
        let triggered = std::array::from_fn(|slot| status & 1 << slot != 0);
        if status & 0xf != 0 {
            self.write_debug_register(6, 0)?;
        }
        Ok(triggered)
    }

    fn write_debug_register(&mut self, number: usize, value: u64) -> Result<(), Error> {
        request(
            libc::PTRACE_POKEUSER,
            self.tid(),
            offset(number),
            value as usize,
            "debug registers",
        )
        .map(drop)
    }

    fn read_debug_register(&self, number: usize) -> Result<u64, Error> {
        let mut value: u64 = 0;
        // SAFETY: the raw call stores one word through the last argument, a live local of ours.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_ptrace,
                libc::PTRACE_PEEKUSER,
                self.tid().0,
                offset(number),
                &raw mut value,
            )
        };
        match answer {
            -1 => Err(Error::last("debug registers", self.tid())),
            _ => Ok(value),
        }
    }
}

fn offset(number: usize) -> usize {
    std::mem::offset_of!(libc::user, u_debugreg) + number * size_of::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_covered_by_aligned_pieces() {
        let lengths = |address, length| {
            cover(address, length, WatchCondition::Write)
                .map(|pieces| pieces.iter().map(|piece| piece.length).collect::<Vec<_>>())
        };
        assert_eq!(lengths(0x1000, 8), Some(vec![8]));
        assert_eq!(lengths(0x1004, 8), Some(vec![4, 4]));
        assert_eq!(lengths(0x1001, 3), Some(vec![1, 2]));
        assert_eq!(lengths(0x1000, 32), Some(vec![8; 4]));
        assert_eq!(lengths(0x1000, 33), None);
        assert_eq!(lengths(0x1000, 0), None);
    }
}
