//! States of objects that have no room of their own, by address; and where objects were born.

use crate::state::order::{Order, State};
use wayfarer_runtime_abi::atomic::{AtomicUsize, Ordering};

const PLACES: usize = 4096;
const TRIES: usize = 64;

struct Entry {
    address: AtomicUsize,
    state: State,
}

static ENTRIES: [Entry; PLACES] = [const {
    Entry {
        address: AtomicUsize::new(0),
        state: State::new(),
    }
}; PLACES];

fn hash(address: usize) -> usize {
    (address >> 2).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

/// The state of the object at `address`. When the table is full, several objects share one: they are then
/// ordered among each other too, which does no harm.
pub fn order_at(address: usize) -> Order<'static> {
    let mut index = hash(address);
    let mut tries = 0;
    loop {
        // SAFETY: reduced.
        let entry = unsafe { ENTRIES.get_unchecked(index & (PLACES - 1)) };
        let found = entry.address.load(Ordering::Acquire);
        if found == address || tries == TRIES {
            return entry.state.order();
        }
        if found == 0 {
            match entry
                .address
                .compare_exchange(0, address, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return entry.state.order(),
                Err(other) if other == address => return entry.state.order(),
                Err(_) => {}
            }
        }
        index = index.wrapping_add(1);
        tries += 1;
    }
}

struct Birth {
    address: AtomicUsize,
    place: AtomicUsize,
}

static BIRTHS: [Birth; PLACES] = [const {
    Birth {
        address: AtomicUsize::new(0),
        place: AtomicUsize::new(0),
    }
}; PLACES];

/// Remembers which code initialised the object at `address`.
pub fn note_birth(address: usize, place: usize) {
    // SAFETY: reduced.
    let birth = unsafe { BIRTHS.get_unchecked(hash(address) & (PLACES - 1)) };
    birth.place.store(place, Ordering::Relaxed);
    birth.address.store(address, Ordering::Relaxed);
}

/// Where the object at `address` was initialised; else `first_use`.
pub fn birth_of(address: usize, first_use: usize) -> usize {
    // SAFETY: reduced.
    let birth = unsafe { BIRTHS.get_unchecked(hash(address) & (PLACES - 1)) };
    if birth.address.load(Ordering::Relaxed) == address {
        birth.place.load(Ordering::Relaxed)
    } else {
        first_use
    }
}
