//! Which object each descriptor stands for, kept in step with the calls that move descriptors.
//!
//! An entry is object × 2 + side; 0 means not tracked, and then contents are logged. The same code
//! runs in a recording and in its replay, so the table needs no records of its own.
//!
//! # Why all descriptors of a replay are virtual
//!
//! A replay opens no socket, pipe or file of the recorded run. Each call on a descriptor is
//! answered from the log, and bytes between recorded processes pass through the shared memory of
//! the session file. So a replay needs no ports, no rights and no name space, has no limit on
//! buffers, and touches nothing outside of itself.

use crate::state::process::MAX_DESCRIPTORS;
use crate::state::{Process, Thread, object};
use wayfarer_calls::Number;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{object_flags, object_kind};
use wayfarer_runtime_abi::{RUNTIME_FD, SESSION_FD};

/// Entries of the output that the session inherited.
pub const STANDARD_OUTPUT: u32 = 2;
pub const STANDARD_ERROR: u32 = 3;
pub const OUTPUT_OBJECT: u32 = 1;

#[inline(always)]
pub fn is_ours(descriptor: usize) -> bool {
    let descriptor = descriptor as u32 as i32;
    descriptor == SESSION_FD || descriptor == RUNTIME_FD
}

impl Process {
    #[inline(always)]
    pub fn entry(&self, descriptor: usize) -> u32 {
        let index = descriptor as u32 as usize;
        if index < MAX_DESCRIPTORS {
            // SAFETY: just checked.
            unsafe { self.descriptors.entries.get_unchecked(index) }.get()
        } else {
            0
        }
    }

    #[inline]
    pub fn set_entry(&self, descriptor: usize, entry: u32) {
        let index = descriptor as u32 as usize;
        if index < MAX_DESCRIPTORS {
            // SAFETY: just checked.
            unsafe { self.descriptors.entries.get_unchecked(index) }.set(entry);
            if entry != 0 && index >= self.descriptors.high.get() {
                self.descriptors.high.set(index + 1);
            }
        } else if entry != 0 {
            give_up_tracking(entry);
        }
    }

    pub fn clear_range(&self, first: usize, last: usize) {
        let mut index = first;
        while index <= last && index < self.descriptors.high.get() {
            self.set_entry(index, 0);
            index += 1;
        }
    }

    /// Takes over the table of another process (fork by vfork or spawn).
    pub fn copy_entries(&self, from: &Process) {
        let mut index = 0;
        while index < from.descriptors.high.get() {
            self.set_entry(index, from.entry(index));
            index += 1;
        }
    }
}

/// From now on the contents of both directions are logged at the reader.
pub fn give_up_tracking(entry: u32) {
    let object = object(entry >> 1);
    if object.kind.get() != object_kind::OUTPUT {
        object.flags.fetch_or(
            object_flags::CONTENTS_0 | object_flags::CONTENTS_1,
            Ordering::AcqRel,
        );
    }
}

/// Both modes: which object a new number stands for.
pub fn follow_descriptors(thread: &mut Thread, number: Number, a: &[usize; 6], result: isize) {
    if result < 0 {
        return;
    }
    if matches!(number, Number::DUP | Number::DUP2 | Number::DUP3) {
        let entry = thread.process().entry(a[0]);
        thread.process().set_entry(result as usize, entry);
    }
}
