//! Reading the program's memory without trusting its pointers.
//!
//! The kernel answers EFAULT to a bad pointer; so must we, instead of dying on it. Every read of
//! memory that a call points to goes through a guarded routine; a fault in it ends the routine.

use crate::memory::hash;
use crate::state::Thread;
use wayfarer_entrance::arguments::{Address, Span};
use wayfarer_entrance::guard;

#[repr(C)]
struct Job {
    from: Address,
    length: usize,
    hash: u64,
}

extern "C" fn hash_job(data: *mut u8) {
    // SAFETY: `attempt` passes the Job of the caller; a fault in it is redirected.
    unsafe {
        let job = &mut *data.cast::<Job>();
        job.hash = hash::hash_bytes(job.hash, pointer(job.from), job.length);
    }
}

#[repr(C)]
struct Pieces {
    array: Address,
    count: usize,
    left: usize,
    hash: u64,
}

/// What the guarded routines read through.
#[inline(always)]
fn pointer<T>(address: Address) -> *const T {
    address.number() as *const T
}

extern "C" fn pieces_job(data: *mut u8) {
    // SAFETY: as in `hash_job`.
    unsafe {
        let job = &mut *data.cast::<Pieces>();
        let (mut hash, mut left, mut index) = (job.hash, job.left, 0);
        while index < job.count && left > 0 {
            let piece = pointer::<Span>(job.array).add(index).read_unaligned();
            let take = piece.length.min(left);
            if !piece.start.is_null() && take != 0 {
                hash = hash::hash_bytes(hash, pointer(piece.start), take);
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
    array: Address,
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
        while length < job.length && pointer::<u8>(job.from).add(length).read_volatile() != 0 {
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
pub unsafe fn copy_in(to: *mut u8, from: Address, length: usize) -> bool {
    if from.is_null() {
        return false;
    }
    // SAFETY: the target is the caller's; a fault at the source ends the copy.
    unsafe { guard::copy(to, pointer(from), length) }
}

/// Fills `to` from the program's memory; false on a bad pointer.
#[inline]
pub fn fill(to: &mut [u8], from: Address) -> bool {
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

plain!(u8, u16, u32, u64, i32, usize, Address);

// SAFETY: an address and a length, which fill it.
unsafe impl Plain for Span {}

// SAFETY: as of a number, one behind the other.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] where [T; N]: Default {}

/// A value of the program's memory.
#[inline]
pub fn read<T: Plain>(from: Address) -> Option<T> {
    let mut value = T::default();
    // SAFETY: as much as a value takes, and any bits are one.
    unsafe { copy_in((&raw mut value).cast(), from, size_of::<T>()) }.then_some(value)
}

/// Copies into the program's memory; false on a bad pointer.
///
/// # Safety
/// The program must have asked for so many bytes to be written there, as by the call that is answered.
#[inline]
pub unsafe fn copy_out(to: Address, bytes: &[u8]) -> bool {
    if to.is_null() {
        return false;
    }
    // SAFETY: what lies there is the program's to lose, as the caller says; a fault ends the copy.
    unsafe { guard::copy(to.number() as *mut u8, bytes.as_ptr(), bytes.len()) }
}

/// Puts a value into the program's memory; false on a bad pointer.
///
/// # Safety
/// As for [`copy_out`].
#[inline]
pub unsafe fn write<T: Plain>(to: Address, value: T) -> bool {
    let value = &raw const value;
    // SAFETY: all bytes of a value are defined; the rest as the caller says.
    unsafe {
        copy_out(
            to,
            core::slice::from_raw_parts(value.cast(), size_of::<T>()),
        )
    }
}

/// Bytes that are copied before they are looked at.
const SHORT: usize = 64;

/// Checksum of `length` bytes, going on from `hash`; unchanged on a bad pointer.
#[inline]
pub fn hash(thread: &mut Thread, hash: u64, from: Address, length: usize) -> u64 {
    if from.is_null() || length == 0 {
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
    let mut job = Job { from, length, hash };
    // SAFETY: the guard slot belongs to this thread and is not in use: guarded routines do not nest.
    if unsafe { guard::attempt(&raw mut thread.guard, hash_job, (&raw mut job).cast()) } {
        job.hash
    } else {
        hash
    }
}

/// Length of a string, at most `limit`; `None` on a bad pointer.
pub fn string_length(thread: &mut Thread, from: Address, limit: usize) -> Option<usize> {
    if from.is_null() {
        return None;
    }
    let mut job = Job {
        from,
        length: limit,
        hash: 0,
    };
    // SAFETY: as in `hash`.
    unsafe { guard::attempt(&raw mut thread.guard, string_job, (&raw mut job).cast()) }
        .then_some(job.length)
}
