//! Serial mode, recording: a thread that is woken again and again, and each time finds what it
//! waits for taken.
//!
//! It only gets its turn where the owner lets go of it for a call that waits, and that may always
//! be where the owner holds the lock: a thread that prints in a loop lets go of its turn within
//! `printf` alone. So a thread that has waited in vain six times in a row asks for a turn at once,
//! and gets it at the owner's next crossing, which is somewhere else.

/// The waits of a thread with nothing else between them.
#[derive(Clone, Copy, Default)]
pub struct Vain {
    address: usize,
    /// How many events the thread will have made if the next one is such a wait, too.
    events: u64,
    times: u32,
}

impl Vain {
    /// As long as luck may last; two threads that hand a lock to each other never get there.
    const OFTEN: u32 = 6;

    /// The thread, with so many events after it, is about to wait at this address.
    pub fn begin(&mut self, address: usize, events: u64) {
        let again = self.address == address && self.events == events;
        *self = Vain {
            address,
            events: events.wrapping_add(1),
            times: if again {
                self.times.saturating_add(1)
            } else {
                0
            },
        };
    }

    /// Whether the thread, which waits for its turn after so many events, has waited in vain too often.
    pub fn is_too_much(&self, events: u64) -> bool {
        self.times >= Self::OFTEN && self.events == events.wrapping_add(1)
    }
}
