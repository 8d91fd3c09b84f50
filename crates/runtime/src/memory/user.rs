//! Reading the program's memory without trusting its pointers.
//!
//! The kernel answers EFAULT to a bad pointer; so must we, instead of dying on it. Every read of
//! memory that a call points to goes through a guarded routine; a fault in it ends the routine.

use crate::memory::hash;
use crate::state::Thread;
use wayfarer_entrance::guard;

#[repr(C)]
struct Job {
    from: *const u8,
    length: usize,
    hash: u64,
}

extern "C" fn hash_job(data: *mut u8) {
    // SAFETY: `attempt` passes the Job of the caller; a fault in it is redirected.
    unsafe {
        let job = &mut *data.cast::<Job>();
        job.hash = hash::hash_bytes(job.hash, job.from, job.length);
    }
}

#[repr(C)]
struct Pieces {
    array: *const [usize; 2],
    count: usize,
    left: usize,
    hash: u64,
}

extern "C" fn pieces_job(data: *mut u8) {
    // SAFETY: as in `hash_job`.
    unsafe {
        let job = &mut *data.cast::<Pieces>();
        let (mut hash, mut left, mut index) = (job.hash, job.left, 0);
        while index < job.count && left > 0 {
            let [from, length] = job.array.add(index).read_unaligned();
            let take = length.min(left);
            if from != 0 && take != 0 {
                hash = hash::hash_bytes(hash, from as *const u8, take);
            }
            left -= take;
            index += 1;
        }
        job.hash = hash;
    }
}

/// Checksum of the first `length` bytes of an array of pieces, going on from `hash`; unchanged on a bad pointer.
pub fn hash_pieces(
    thread: &mut Thread,
    hash: u64,
    array: *const [usize; 2],
    count: usize,
    length: usize,
) -> u64 {
    let mut job = Pieces {
        array,
        count,
        left: length,
        hash,
    };
    // SAFETY: as in `hash`.
    if unsafe { guard::attempt(&raw mut thread.guard, pieces_job, (&raw mut job).cast()) } {
        job.hash
    } else {
        hash
    }
}

extern "C" fn string_job(data: *mut u8) {
    // SAFETY: as in `hash_job`; the loop ends at the terminator, the limit or a fault.
    unsafe {
        let job = &mut *data.cast::<Job>();
        let mut length = 0;
        while length < job.length && job.from.add(length).read_volatile() != 0 {
            length += 1;
        }
        job.length = length;
    }
}

/// Copies `length` bytes from the program's memory; false on a bad pointer.
///
/// # Safety
/// `to` must be valid for writes of `length` bytes.
#[inline]
pub unsafe fn copy_in(to: *mut u8, from: usize, length: usize) -> bool {
    if from == 0 {
        return false;
    }
    // SAFETY: the target is the caller's; a fault at the source ends the copy.
    unsafe { guard::copy(to, from as *const u8, length) }
}

/// Fills `to` from the program's memory; false on a bad pointer.
#[inline]
pub fn fill(to: &mut [u8], from: usize) -> bool {
    // SAFETY: the target is a slice.
    unsafe { copy_in(to.as_mut_ptr(), from, to.len()) }
}

/// What may be made of any bytes of the program's memory.
///
/// # Safety
/// Any bits must be a value, and all bytes of a value must be defined.
pub unsafe trait Plain: Copy + Default {}

macro_rules! plain {
    ($($value:ty),*) => {$(
        // SAFETY: a number has no padding, and any bits are one.
        unsafe impl Plain for $value {}
    )*};
}

plain!(u8, u16, u32, u64, i32, usize);

// SAFETY: as of a number, one behind the other.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] where [T; N]: Default {}

/// A value of the program's memory.
#[inline]
pub fn read<T: Plain>(from: usize) -> Option<T> {
    let mut value = T::default();
    // SAFETY: as much as a value takes, and any bits are one.
    unsafe { copy_in((&raw mut value).cast(), from, size_of::<T>()) }.then_some(value)
}

/// Copies into the program's memory; false on a bad pointer.
#[inline]
pub fn copy_out(to: usize, bytes: &[u8]) -> bool {
    if to == 0 {
        return false;
    }
    // SAFETY: what lies there is the program's, which asked for this; a fault ends the copy.
    unsafe { guard::copy(to as *mut u8, bytes.as_ptr(), bytes.len()) }
}

/// Puts a value into the program's memory; false on a bad pointer.
#[inline]
pub fn write<T: Plain>(to: usize, value: T) -> bool {
    let value = &raw const value;
    // SAFETY: all bytes of a value are defined.
    copy_out(to, unsafe {
        core::slice::from_raw_parts(value.cast(), size_of::<T>())
    })
}

/// Bytes that are copied before they are looked at.
const SHORT: usize = 64;

/// Checksum of `length` bytes, going on from `hash`; unchanged on a bad pointer.
#[inline]
pub fn hash(thread: &mut Thread, hash: u64, from: usize, length: usize) -> u64 {
    if from == 0 || length == 0 {
        return hash;
    }
    if length <= SHORT {
        let mut copy = [0u8; SHORT];
        // A guarded copy is cheaper than a guarded call.
        // SAFETY: not longer than the copy.
        if !unsafe { copy_in(copy.as_mut_ptr(), from, length) } {
            return hash;
        }
        // SAFETY: just filled that far.
        return unsafe { hash::hash_bytes(hash, copy.as_ptr(), length) };
    }
    let mut job = Job {
        from: from as *const u8,
        length,
        hash,
    };
    // SAFETY: the guard slot belongs to this thread and is not in use: guarded routines do not nest.
    if unsafe { guard::attempt(&raw mut thread.guard, hash_job, (&raw mut job).cast()) } {
        job.hash
    } else {
        hash
    }
}

/// Length of a string, at most `limit`; `None` on a bad pointer.
pub fn string_length(thread: &mut Thread, from: usize, limit: usize) -> Option<usize> {
    if from == 0 {
        return None;
    }
    let mut job = Job {
        from: from as *const u8,
        length: limit,
        hash: 0,
    };
    // SAFETY: as in `hash`.
    unsafe { guard::attempt(&raw mut thread.guard, string_job, (&raw mut job).cast()) }
        .then_some(job.length)
}
