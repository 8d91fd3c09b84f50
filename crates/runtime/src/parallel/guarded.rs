//! Parts of libc that keep one state for all threads: used by one thread at a time, in a kept order.

use crate::log::reader;
use crate::parallel::handover::Lock;
use crate::parallel::order;
use crate::parallel::runs;
use crate::state::Thread;
use crate::state::order::{OFF, Object, RECORD, State};

/// How long a thread may be unlucky. Measured with 64 threads that make threads: with a twentieth of it, where nearly
/// each use is handed over, they make half as many.
const PATIENCE_US: u32 = 20_000;

pub struct Guarded {
    /// Only while recording: in a replay the turn is enough.
    lock: Lock,
    state: State,
    kind: u8,
}

impl Guarded {
    pub const fn new(kind: u8) -> Guarded {
        Guarded {
            lock: Lock::new(),
            state: State::new(),
            kind,
        }
    }

    fn object(&self) -> Object {
        Object {
            kind: self.kind,
            shared: false,
            address: 0,
            place: 0,
            stays: true,
            reads: false,
        }
    }

    #[inline(always)]
    fn lock(&self, thread: &Thread) {
        // Not unlucky at all with others behind it.
        self.lock.take(|| match thread.library.holds_others_up {
            true => 0,
            false => PATIENCE_US,
        });
    }

    #[inline(always)]
    pub fn enter(&self, thread: &mut Thread) {
        match thread.sync {
            OFF => {}
            RECORD => {
                self.lock(thread);
                order::note_exclusive(thread, self.state.order(), self.object());
            }
            _ => runs::before(thread, self.state.order(), self.object()),
        }
    }

    /// Recording: enters again, as if it had not left; whether another thread was there meanwhile.
    pub fn enter_again(&self, thread: &mut Thread) -> bool {
        self.lock(thread);
        let is_last = order::is_last_owner(thread, self.state.order(), self.object());
        if !is_last {
            order::note_exclusive(thread, self.state.order(), self.object());
        }
        !is_last
    }

    /// Replay: whether the thread, which is in there, is so for the last time before another thread, and the next record
    /// is that it came in again after `which` note.
    pub fn comes_again(&self, thread: &mut Thread, which: u64) -> bool {
        let order = self.state.order();
        runs::is_last_access(thread, order)
            && reader::peek(thread).is_some_and(|next| {
                next.is_acquire()
                    && runs::is_number(order, next.number)
                    && reader::is_note_behind(thread, next.length, which)
            })
    }

    #[inline(always)]
    pub fn leave(&self, thread: &mut Thread) {
        match thread.sync {
            OFF => {}
            RECORD => self.lock.give(),
            _ => runs::after(thread, self.state.order()),
        }
    }

    /// What a thread that is about to be gone has to store, and where, to leave.
    pub fn last_leave(&self, thread: &Thread) -> Option<(usize, u32)> {
        match thread.sync {
            OFF => None,
            RECORD => Some(self.lock.last_give()),
            _ => runs::last_pass(self.state.order()),
        }
    }

    /// The child of a fork: the thread that held it is not there.
    pub fn reset(&self) {
        self.lock.reset();
    }
}
