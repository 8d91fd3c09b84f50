//! Parts of libc that keep one state for all threads: used by one thread at a time, in a kept order.

use crate::order::{self, OFF, Object, RECORD, State};
use crate::state::Thread;
use crate::{futex, reader};
use core::sync::atomic::{AtomicU32, Ordering};

pub struct Guarded {
    /// 0 free, 1 held, 2 held and somebody waits. Only while recording: in a replay the turn is enough.
    lock: AtomicU32,
    state: State,
    kind: u8,
}

impl Guarded {
    pub const fn new(kind: u8) -> Guarded {
        Guarded {
            lock: AtomicU32::new(0),
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
    fn lock(&self) {
        if self
            .lock
            .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            self.wait();
        }
    }

    #[inline(always)]
    pub fn enter(&self, thread: &mut Thread) {
        match thread.sync {
            OFF => {}
            RECORD => {
                self.lock();
                order::note_exclusive(thread, self.state.order(), self.object());
            }
            _ => order::before(thread, self.state.order(), self.object()),
        }
    }

    /// Recording: enters again, as if it had not left; whether somebody else was there meanwhile.
    pub fn enter_again(&self, thread: &mut Thread) -> bool {
        self.lock();
        let is_last = order::is_last_owner(thread, self.state.order(), self.object());
        if !is_last {
            order::note_exclusive(thread, self.state.order(), self.object());
        }
        !is_last
    }

    /// Replay: whether the thread, which is in there, is so for the last time before somebody else, and the next record
    /// is that it came in again behind `which` note.
    pub fn comes_again(&self, thread: &mut Thread, which: u64) -> bool {
        let order = self.state.order();
        order::is_last_access(thread, order)
            && reader::peek(thread).is_some_and(|next| {
                next.is_acquire()
                    && order::is_number(order, next.number)
                    && reader::is_note_behind(thread, next.length, which)
            })
    }

    #[inline(always)]
    pub fn leave(&self, thread: &mut Thread) {
        match thread.sync {
            OFF => {}
            RECORD => {
                if self.lock.swap(0, Ordering::Release) == 2 {
                    futex::wake(&self.lock, 1);
                }
            }
            _ => order::after(thread, self.state.order()),
        }
    }

    /// What a thread that is about to be gone has to store, and where, to leave.
    pub fn last_leave(&self, thread: &Thread) -> Option<(usize, u32)> {
        match thread.sync {
            OFF => None,
            RECORD => Some(((&raw const self.lock) as usize, 0)),
            _ => order::last_pass(self.state.order()),
        }
    }

    #[cold]
    #[inline(never)]
    fn wait(&self) {
        let mut looks = 0;
        while looks < 100 {
            if self.lock.load(Ordering::Relaxed) == 0
                && self
                    .lock
                    .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
            {
                return;
            }
            core::hint::spin_loop();
            looks += 1;
        }
        while self.lock.swap(2, Ordering::Acquire) != 0 {
            futex::wait(&self.lock, 2, 100);
        }
    }

    /// The child of a fork: whoever held it is not there.
    pub fn reset(&self) {
        self.lock.store(0, Ordering::Relaxed);
    }
}
