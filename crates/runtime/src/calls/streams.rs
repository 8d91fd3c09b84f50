//! Streams between processes of the set: whose bytes a recording has to keep.
//!
//! A direction of an object is *exclusive* while one thread writes it and one thread reads it, both
//! inside the set. Then a read needs only its count: the bytes are those that the writer will write
//! again. As soon as there is a second writer or reader, or one that we cannot see, contents are
//! logged from there on. The flag is set before the second one's call, so no byte can slip through.
//!
//! # Why there is no lock for each stream
//!
//! With one writer and one reader the order of the bytes is implied. A lock would have to be held
//! over a blocking read, and that would change the program. Logging contents everywhere else costs
//! bytes, never correctness.

use crate::memory::user;
use crate::state::Thread;
use wayfarer_entrance::arguments::Span;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{Object, object_flags};

/// The flag of a direction whose contents are logged.
#[inline(always)]
pub fn contents_flag(direction: u32) -> u32 {
    object_flags::CONTENTS_0 << direction
}

#[inline(always)]
pub fn direction(
    object: &'static Object,
    direction: u32,
) -> &'static wayfarer_runtime_abi::layout::Direction {
    // SAFETY: a direction is 0 or 1.
    unsafe { object.directions.get_unchecked((direction & 1) as usize) }
}

/// Makes this thread the reader (or writer) of a direction, or gives up its exclusiveness.
#[inline(always)]
pub fn claim(
    thread: &Thread,
    object: &Object,
    owner: &wayfarer_runtime_abi::atomic::AtomicU32,
    flag: u32,
) {
    let now = owner.load(Ordering::Acquire);
    if now == thread.number {
        return;
    }
    if now == 0
        && owner
            .compare_exchange(0, thread.number, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    {
        return;
    }
    object.flags.fetch_or(flag, Ordering::AcqRel);
}

/// Visits each descriptor in SCM_RIGHTS control data.
pub fn each_passed(thread: &mut Thread, control: Span, visit: impl Fn(&mut Thread, u32)) {
    let Span { start, length } = control;
    let mut position = 0;
    while !start.is_null() && position + 16 <= length {
        let Some(head) = user::read::<[u64; 2]>(start.plus(position)) else {
            return;
        };
        let size = head[0] as usize;
        if size < 16 || size > length - position {
            return;
        }
        // SOL_SOCKET, SCM_RIGHTS.
        if head[1] == 1 | 1 << 32 {
            let mut at = 16;
            while at + 4 <= size {
                if let Some(descriptor) = user::read::<u32>(start.plus(position + at)) {
                    visit(thread, descriptor);
                }
                at += 4;
            }
        }
        position += (size + 7) & !7;
    }
}
