//! Telling the host that a replay met something that the log did not promise.

use crate::session::futex;
use crate::state::{Thread, header};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{Divergence, MODE_REPLAY};
use wayfarer_runtime_abi::record::Record;

fn place() -> *mut Divergence {
    (&raw const header().divergence).cast_mut()
}

/// Claims the right to report; only the first one may.
fn claim() -> bool {
    // SAFETY: the header is mapped.
    unsafe {
        (*place())
            .state
            .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }
}

/// Sets the free words of the report that is about to be made.
pub fn details(words: [u64; 4]) {
    // SAFETY: plain words of the header; only the report that is made gives them a meaning.
    unsafe {
        if (*place()).state.load(Ordering::Relaxed) == 0 {
            (*place()).detail = words;
        }
    }
}

/// Sets the text of the report that is about to be made.
pub fn text(bytes: &[u8]) {
    // SAFETY: as in `details`; the length is capped.
    unsafe {
        if (*place()).state.load(Ordering::Relaxed) == 0 {
            let to = (&raw mut (*place()).text).cast::<u8>();
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len().min(127));
        }
    }
}

/// Reports a divergence, stops the session and never returns.
#[cold]
#[inline(never)]
pub fn report(
    thread: &mut Thread,
    kind: u32,
    came: i64,
    check: u8,
    arguments: &[usize; 6],
    promised: Option<&Record<'_>>,
) -> ! {
    if thread.mode == MODE_REPLAY && claim() {
        let place = place();
        // SAFETY: claimed: nothing else writes it.
        unsafe {
            (*place).kind = kind;
            (*place).process = thread.process().id.get();
            (*place).thread = thread.number;
            (*place).event = thread.log.events;
            match promised {
                Some(record) => {
                    (*place).promised_tag = u32::from(record.tag);
                    (*place).promised_check = u32::from(record.check);
                    (*place).promised_nr = record.number as i64;
                    (*place).promised_result = record.value;
                }
                None => (*place).promised_tag = 0,
            }
            (*place).came_nr = came;
            (*place).came_check = u32::from(check);
            let mut index = 0;
            while index < 6 {
                *(&raw mut (*place).came_arguments).cast::<u64>().add(index) =
                    *arguments.get_unchecked(index) as u64;
                index += 1;
            }
            (*place).state.store(2, Ordering::Release);
        }
        header().stop.store(1, Ordering::Release);
        futex::wake(&header().stop, u32::MAX >> 1);
    }
    futex::park(thread)
}
