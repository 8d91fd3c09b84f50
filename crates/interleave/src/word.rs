//! A word of memory of one of the three sizes, as a value.

use std::sync::atomic;

/// A word of memory.
#[derive(Clone, Copy)]
pub enum Word {
    Short(*const atomic::AtomicU16),
    Int(*const atomic::AtomicU32),
    Long(*const atomic::AtomicU64),
}

// SAFETY: the word outlives the run of the model, and is accessed with atomic operations only.
unsafe impl Send for Word {}

impl Word {
    pub fn address(self) -> usize {
        match self {
            Word::Short(word) => word as usize,
            Word::Int(word) => word as usize,
            Word::Long(word) => word as usize,
        }
    }

    pub fn load(self) -> u64 {
        const ORDER: atomic::Ordering = atomic::Ordering::SeqCst;
        // SAFETY: the code under test has, or had, a reference to the word, which outlives the run.
        unsafe {
            match self {
                Word::Short(word) => u64::from((*word).load(ORDER)),
                Word::Int(word) => u64::from((*word).load(ORDER)),
                Word::Long(word) => (*word).load(ORDER),
            }
        }
    }

    pub fn store(self, value: u64) {
        const ORDER: atomic::Ordering = atomic::Ordering::SeqCst;
        // SAFETY: as in `load`.
        unsafe {
            match self {
                Word::Short(word) => (*word).store(value as u16, ORDER),
                Word::Int(word) => (*word).store(value as u32, ORDER),
                Word::Long(word) => (*word).store(value, ORDER),
            }
        }
    }
}
