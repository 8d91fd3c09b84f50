//! Where calls arrive, from the entrance: by the mode of the thread to one of two dispatchers.

pub mod clocks;
pub mod entry;
pub mod record;
pub mod replay;

use crate::calls::record::call_kernel;
use crate::state::{Thread, current};
use wayfarer_calls::Number;
use wayfarer_entrance::clone::{self, Shape};
use wayfarer_entrance::frame::Frame;
use wayfarer_runtime_abi::layout::{MODE_RECORD, MODE_REPLAY};

/// Every system call of the program but those by name.
///
/// # Safety
/// Called by the entrance with the live frame of this thread's call.
pub unsafe extern "C" fn dispatch(frame: *mut Frame) {
    // SAFETY: the entrance passes the live frame.
    unsafe { decide(frame) }
}

/// A system call by name.
///
/// # Safety
/// Called by the entrance with the live frame of this thread's call.
pub unsafe extern "C" fn call(frame: *mut Frame) -> ! {
    // SAFETY: as above; it is over.
    unsafe {
        decide(frame);
        wayfarer_entrance::call::leave(frame)
    }
}

/// # Safety
/// Called by the entrance with the live frame of this thread's call.
#[inline(always)]
unsafe fn decide(frame: *mut Frame) {
    // SAFETY: the entrance passes the live frame; the thread is this one.
    unsafe {
        let frame = &mut *frame;
        let thread = current();
        if thread.is_null() {
            pass_through(frame);
            return;
        }
        match (*thread).mode {
            MODE_RECORD => record::dispatch(&mut *thread, frame),
            MODE_REPLAY => replay::dispatch(&mut *thread, frame),
            _ => pass_through(frame),
        }
    }
}

/// A call that is none of our business.
fn pass_through(frame: &mut Frame) {
    let (number, arguments) = (frame.number(), frame.arguments());
    // SAFETY: the program's own call; a bad clone_args pointer is the kernel's to judge, and libc's are
    // good.
    unsafe {
        if matches!(number, Number::CLONE | Number::CLONE3) {
            match clone::shape(number, &arguments) {
                Shape::NewStack => {
                    frame.rax = clone::clone_with_stack(frame, number, *arguments, 0) as usize;
                    return;
                }
                Shape::Vfork => {
                    frame.retry_as_vfork();
                    return;
                }
                _ => {}
            }
        }
        frame.rax = call_kernel(number, &arguments) as usize;
    }
}

/// A call that the vDSO hooks make on the program's behalf.
fn call_without_frame(thread: &mut Thread, number: Number, a: [usize; 6]) -> isize {
    // SAFETY: all fields are plain numbers.
    let mut frame: Frame = unsafe { core::mem::zeroed() };
    frame.rax = number.get();
    frame.rdi = a[0];
    frame.rsi = a[1];
    frame.rdx = a[2];
    frame.r10 = a[3];
    frame.r8 = a[4];
    frame.r9 = a[5];
    match thread.mode {
        MODE_RECORD => record::dispatch(thread, &mut frame),
        MODE_REPLAY => replay::dispatch(thread, &mut frame),
        _ => pass_through(&mut frame),
    }
    frame.rax as isize
}
