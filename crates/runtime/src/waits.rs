//! How long threads wait for locks: looked at only where a lock was found taken, and written down only when
//! it took a while. A replay passes over it.

use crate::clock;
use crate::order::{NUMBER, Order, RECORD};
use crate::state::Thread;
use core::sync::atomic::Ordering;
use wayfarer_runtime_abi::record;
use wayfarer_runtime_abi::wait::{SHORTEST_NS, rounded};

/// When a thread began to wait, in nanoseconds; 0, if nobody wants to know.
#[derive(Clone, Copy)]
pub struct Since(u64);

/// Ahead of a call that may wait; `taken`: it looks as if it will.
#[inline(always)]
pub fn begin(thread: &Thread, taken: bool) -> Since {
    if taken && thread.sync == RECORD {
        Since(clock::monotonic_ns(thread).unwrap_or(0))
    } else {
        Since(0)
    }
}

impl Since {
    /// The thread has got what it waited for, and the access is noted.
    #[inline(always)]
    pub fn end(self, thread: &mut Thread, order: Order<'_>) {
        if self.0 != 0 {
            write_down(thread, order, self.0);
        }
    }
}

#[inline(never)]
fn write_down(thread: &mut Thread, order: Order<'_>, began: u64) {
    let Some(now) = clock::monotonic_ns(thread) else {
        return;
    };
    let waited = now.saturating_sub(began);
    let object = order.tail.id.load(Ordering::Relaxed) & NUMBER;
    if waited < SHORTEST_NS || object == 0 {
        return;
    }
    let (scale, count) = rounded(waited);
    thread.emit_plain(record::WAIT, u64::from(object), scale, count);
}
