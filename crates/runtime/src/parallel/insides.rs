//! What the order of accesses has to know of libc's objects beside their states: the members of a barrier, the posts of
//! a semaphore, how often what is done once was given up.

use wayfarer_runtime_abi::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Where a barrier says how many threads it waits for.
const BARRIER_MEMBERS: usize = 8;
/// Where in a semaphore the posts of the current run are counted, and where its state is.
const SEMAPHORE_POSTS: usize = 12;
pub const SEMAPHORE_STATE: usize = 16;

/// How many threads the barrier at `address` waits for.
///
/// # Safety
/// There must be a barrier.
pub unsafe fn members(address: usize) -> u32 {
    // SAFETY: as the caller says.
    unsafe { *((address + BARRIER_MEMBERS) as *const u32) }
}

/// Recording: how many accesses of the current run were posts.
///
/// # Safety
/// There must be a semaphore.
#[inline(always)]
pub unsafe fn posts<'a>(address: usize) -> &'a AtomicU32 {
    // SAFETY: as the caller says; padding that nothing else uses.
    unsafe { &*((address + SEMAPHORE_POSTS) as *const AtomicU32) }
}

/// The address of the number of posts, from where the state is.
pub fn posts_beside(state: usize) -> usize {
    state - (SEMAPHORE_STATE - SEMAPHORE_POSTS)
}

/// How often what is done once was begun and given up, by address. Few programs ever do that; where the table is full,
/// further ones are not counted, and a replay may diverge.
struct GivenUp {
    address: AtomicUsize,
    times: AtomicU32,
}

const PLACES: usize = 1024;

static GIVEN_UP: [GivenUp; PLACES] = [const {
    GivenUp {
        address: AtomicUsize::new(0),
        times: AtomicU32::new(0),
    }
}; PLACES];

/// What is done once at this address has been given up; whether there was room to count it.
pub fn give_up(address: usize) -> bool {
    for entry in &GIVEN_UP {
        let taken = entry
            .address
            .compare_exchange(0, address, Ordering::AcqRel, Ordering::Acquire);
        if taken.is_ok() || taken == Err(address) {
            entry.times.fetch_add(1, Ordering::Release);
            return true;
        }
    }
    false
}

/// How often it was begun and given up.
pub fn given_up(address: usize) -> u32 {
    for entry in &GIVEN_UP {
        match entry.address.load(Ordering::Acquire) {
            0 => return 0,
            found if found == address => return entry.times.load(Ordering::Acquire),
            _ => {}
        }
    }
    0
}
