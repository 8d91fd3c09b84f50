//! Biased objects: one thread accesses them again and again, and others could at any moment.
//!
//! Readers and semaphores exclude no other thread while they count, so counting would take an atomic
//! operation, which costs as much as the lock itself. A thread that came 8,192 times in a row
//! counts without one. While it counts, it shows in its slot which word it is at. The next thread
//! stops the counting by the lock bit, makes all processors pass a barrier (`membarrier`) and waits
//! until the slot shows something else: then the owner has either seen the bit or is done. The
//! owner may overwrite the bit meanwhile, so it is looked at again. Stopping is dear, so it pays
//! for itself at such lengths only.

use crate::state::order::{BIASED, COUNT, LOCK, OWNER, OWNER_SHIFT};
use crate::state::thread_slot;
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::{AtomicU32, AtomicU64, Ordering};

const BARRIER: usize = 8;
const REGISTER: usize = 16;

/// Accesses in a row that a barrier is worth; a power of two.
const ENOUGH: u64 = 8192;

/// Held by the one thread of the process that stops another's counting.
static REVOKES: AtomicU32 = AtomicU32::new(0);

/// The word after one more access by its owner: from now on biased, if that is worth it.
#[inline(always)]
pub fn grown(word: u64, shared: bool) -> u64 {
    let grown = word + 1;
    if grown & (ENOUGH - 1) == 0 && !shared {
        begin(grown)
    } else {
        grown
    }
}

#[cold]
#[inline(never)]
fn begin(word: u64) -> u64 {
    // SAFETY: tells the kernel that this process will ask for barriers; may be said again.
    let result = unsafe { raw::syscall6(Number::MEMBARRIER, REGISTER, 0, 0, 0, 0, 0) };
    if result == 0 && word & COUNT != 0 {
        word | BIASED
    } else {
        word
    }
}

/// Another thread than the owner: makes it count like all others.
#[cold]
#[inline(never)]
pub fn revoke(word: &AtomicU64) {
    while REVOKES
        .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
        .is_err()
    {
        give_way();
    }
    let place = core::ptr::from_ref(word) as u64;
    loop {
        let found = word.load(Ordering::Acquire);
        if found & BIASED == 0 {
            break;
        }
        if found & LOCK == 0 {
            if word
                .compare_exchange(found, found | LOCK, Ordering::AcqRel, Ordering::Relaxed)
                .is_err()
            {
                continue;
            }
            let owner = ((found & OWNER) >> OWNER_SHIFT) as u32;
            let slot = thread_slot(owner);
            // SAFETY: a barrier has no arguments. It fails where none was asked for, in the child of a
            // fork, where the owner is not.
            unsafe { raw::syscall6(Number::MEMBARRIER, BARRIER, 0, 0, 0, 0, 0) };
            while slot.waiting_for.load(Ordering::Acquire) == place {
                give_way();
            }
            continue;
        }
        // The bit is ours, and it has lasted: the owner stays away.
        word.store(found & !(BIASED | LOCK), Ordering::Release);
    }
    REVOKES.store(0, Ordering::Release);
}

fn give_way() {
    // SAFETY: sched_yield has no arguments.
    unsafe { raw::syscall6(Number::SCHED_YIELD, 0, 0, 0, 0, 0, 0) };
}
