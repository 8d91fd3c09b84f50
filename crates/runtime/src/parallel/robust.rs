//! Robust mutexes of a thread that ends without giving them back.
//!
//! The kernel marks them at the very end of a thread, when no thread has a turn any more, and knows the
//! owner by its real id, which a replay does not have. So it is done here, in both modes, while the
//! thread still has its turn.

use crate::memory::user;
use crate::session::futex;
use crate::state::Thread;
use wayfarer_entrance::arguments::Address;
use wayfarer_runtime_abi::atomic::{Ordering, fence};

const OWNER_DIED: u32 = 0x4000_0000;
const TID: u32 = 0x3fff_ffff;
/// As many entries as the kernel looks at.
const LIMIT: usize = 2048;

/// Marks what the thread still owns, and empties its list for the kernel.
pub fn release(thread: &mut Thread) {
    let head = thread.ending.robust_list;
    let Some([first, offset, pending]) = user::read::<[usize; 3]>(head) else {
        return;
    };
    let mut entry = first;
    let mut count = 0;
    while entry & !1 != head.number() && entry != 0 && count < LIMIT {
        let Some(next) = user::read::<usize>(Address::new(entry & !1)) else {
            break;
        };
        if entry & !1 != pending & !1 {
            mark(thread, (entry & !1).wrapping_add(offset));
        }
        entry = next;
        count += 1;
    }
    if pending != 0 {
        mark(thread, (pending & !1).wrapping_add(offset));
    }
    // SAFETY: the list is the kernel's to write when the thread ends.
    unsafe { user::write(head, head) };
}

fn mark(thread: &Thread, word: usize) {
    if word & 3 != 0 {
        return;
    }
    let address = Address::new(word);
    let Some(value) = user::read::<u32>(address) else {
        return;
    };
    if value & TID != thread.tid {
        return;
    }
    // A word that is written as one, after all that this thread wrote before.
    fence(Ordering::Release);
    // SAFETY: the word of a mutex that the thread says it owns; the kernel would write it.
    unsafe { user::write(address, (value & !TID) | OWNER_DIED) };
    if value & !TID != 0 {
        futex::wake_at(address, 1);
    }
}
