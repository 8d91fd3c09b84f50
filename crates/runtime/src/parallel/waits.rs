//! How long threads wait for locks. Clocks are read only where a lock was found taken, and a wait
//! is written down from 10 µs on. A replay passes over it.

use crate::session::clocks::monotonic_ns;
use crate::state::Thread;
use crate::state::order::{NUMBER, Order, RECORD};
use crate::state::thread::Since;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::record::{self, Head};
use wayfarer_runtime_abi::wait::{SHORTEST_NS, rounded, value};

/// Before a call that may wait; `taken`: it looks as if it will.
#[inline(always)]
pub fn begin(thread: &Thread, taken: bool, order: Order<'_>) -> Since {
    if taken && thread.sync == RECORD {
        Since {
            nanoseconds: monotonic_ns(thread).unwrap_or(0),
            run: order.tail.run.load(Ordering::Relaxed),
        }
    } else {
        Since {
            nanoseconds: 0,
            run: 0,
        }
    }
}

impl Since {
    /// The thread has got what it waited for, and the access is noted.
    #[inline(always)]
    pub fn end(self, thread: &mut Thread, order: Order<'_>) {
        if self.nanoseconds != 0 {
            write_down(thread, order, self.nanoseconds, 0);
        }
    }

    /// The same for an access that still keeps all others out: the run is this thread's.
    #[inline(always)]
    pub fn end_alone(self, thread: &mut Thread, order: Order<'_>) {
        if self.nanoseconds != 0 {
            let run = order.tail.run.load(Ordering::Relaxed);
            write_down(thread, order, self.nanoseconds, run.wrapping_sub(self.run));
        }
    }
}

#[inline(never)]
fn write_down(thread: &mut Thread, order: Order<'_>, began: u64, behind: u32) {
    let Some(now) = monotonic_ns(thread) else {
        return;
    };
    let waited = now.saturating_sub(began);
    let object = order.tail.id.load(Ordering::Relaxed) & NUMBER;
    if waited < SHORTEST_NS || object == 0 {
        return;
    }
    let (scale, count) = rounded(waited);
    let value = value(count, behind) as i64;
    thread.emit_plain(Head::new(record::WAIT, u64::from(object), scale, value));
}
