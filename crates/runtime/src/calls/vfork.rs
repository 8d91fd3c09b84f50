//! vfork: the child runs on its parent's stack and in its thread-local storage, both modes.

use crate::calls::children::{is_skipped, reserve};
use crate::calls::process::{
    ENOMEM, announce, describe, describe_process, finish_clone, open_log, prepare_thread,
    promised_child, rearm, release_borrowed, thread_tid,
};
use crate::calls::record::Made;
use crate::calls::replay;
use crate::session::diverge;
use crate::state::current;
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::tls;
use wayfarer_runtime_abi::layout::{MODE_REPLAY, divergence};
use wayfarer_runtime_abi::record::Child;

/// Before a vfork, both modes.
///
/// # Safety
/// Called by the entrance with the frame of the call.
pub unsafe extern "C" fn vfork_before(frame: *mut Frame) -> isize {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        if thread.is_null() {
            return ENOMEM;
        }
        let thread = &mut *thread;
        let frame = &mut *frame;
        let child = if thread.mode == MODE_REPLAY {
            let mut made = Made::new(frame.number().call(), frame);
            let Some((promised, child)) = promised_child(thread, &mut made) else {
                return ENOMEM;
            };
            if promised <= 0 || is_skipped(child) {
                return promised;
            }
            thread.vfork.result = promised as u32;
            child
        } else {
            let Some(child) = reserve(thread, false) else {
                return ENOMEM;
            };
            announce(thread, frame.number(), child);
            child
        };
        let born = prepare_thread(thread, child, false);
        if born.is_null() {
            return ENOMEM;
        }
        thread.vfork.child = born;
        thread.vfork.number = frame.rax as u32;
        thread.vfork.return_address = frame.rip as u64;
        (*born).vfork.return_address = frame.rip as u64;
        (*born).vfork.lender = thread;
        0
    }
}

/// After a vfork: in the child, and then in the parent.
///
/// # Safety
/// Called by the entrance with a frame whose `rax` is the result.
pub unsafe extern "C" fn vfork_after(frame: *mut Frame) {
    // SAFETY: as the caller says.
    unsafe {
        let frame = &mut *frame;
        let now = current();
        let result = frame.rax as isize;
        if result == 0 {
            let born = (*now).vfork.child;
            tls::set(born.cast());
            let thread = &mut *born;
            describe_process(thread, thread.process().id.get());
            describe(thread, thread.number);
            thread.tid = thread_tid(thread, thread.number);
            open_log(thread);
            rearm();
            frame.go_to(thread.vfork.return_address as usize);
            return;
        }
        // The child left its own pointer in the storage that we share.
        let parent = if (*now).process().borrowed.get() && (*now).vfork.child.is_null() {
            (*now).vfork.lender
        } else {
            now
        };
        tls::set(parent.cast());
        let thread = &mut *parent;
        let born = thread.vfork.child;
        thread.vfork.child = core::ptr::null_mut();
        frame.go_to(thread.vfork.return_address as usize);
        if born.is_null() {
            return;
        }
        let child = Child {
            process: (*born).process().id.get(),
            thread: (*born).number,
        };
        let number = thread.vfork.number as usize;
        if thread.mode == MODE_REPLAY {
            if result < 0 {
                diverge::details([(-result) as u64, 0, 0, 0]);
                diverge::report(
                    thread,
                    divergence::CLONE_FAILED,
                    number as i64,
                    0,
                    &[0; 6],
                    None,
                );
            }
            frame.rax = thread.vfork.result as usize;
        }
        finish_clone(thread, child, false, frame.rax as isize);
        release_borrowed(born);
        if thread.mode == MODE_REPLAY {
            replay::after_call(thread, frame);
        }
    }
}
