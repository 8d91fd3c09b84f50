//! What the entrances call.

use core::cell::UnsafeCell;

use wayfarer_calls::error::ENOSYS;

use crate::frame::Frame;
use crate::{call, raw, vdso};

/// The functions that the entrances call. They run in any thread, possibly inside a signal handler of
/// the program, and must obey the house rules. System calls and clocks run on the thread's own stack
/// ([`crate::own_stack`]) while that is free, all others on the program's.
///
/// A hook may be left without returning: by `siglongjmp` out of a signal handler, by cancellation,
/// by exit and exec.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Hooks {
    /// A system call: number in `rax`, arguments in `rdi rsi rdx r10 r8 r9`. The hook writes the
    /// result to `rax`. It never sees `rt_sigreturn` and the calls that go the way of `vfork`.
    pub dispatch: unsafe extern "C" fn(*mut Frame),
    /// The same for a call by name ([`crate::call`]); ends with [`crate::call::leave`].
    pub call: unsafe extern "C" fn(*mut Frame) -> !,
    /// A SIGSYS that is not ours: `siginfo`, `ucontext`. Runs in the signal handler with all
    /// signals blocked.
    pub foreign_sigsys: unsafe extern "C" fn(*mut u8, *mut u8),
    /// First thing in a child that [`crate::clone::clone_with_stack`] made: its cookie and the
    /// child's own frame. All signals are blocked, and dispatch is not armed.
    pub child_started: unsafe extern "C" fn(usize, *mut Frame),
    /// Before a call of the `vfork` kind. Must keep `frame.rip` in storage that survives the
    /// child's use of this stack. Returns 0 to go on, else the result to give instead of the call.
    pub vfork_before: unsafe extern "C" fn(*mut Frame) -> isize,
    /// After it, in the child and then in the parent: `frame.rax` is the result. Must set
    /// `frame.rip` to the address kept before.
    pub vfork_after: unsafe extern "C" fn(*mut Frame),
    pub clock_gettime: unsafe extern "C" fn(i32, *mut [i64; 2]) -> i32,
    pub gettimeofday: unsafe extern "C" fn(*mut [i64; 2], *mut u8) -> i32,
    pub time: unsafe extern "C" fn(*mut i64) -> i64,
    pub getcpu: unsafe extern "C" fn(*mut u32, *mut u32, *mut u8) -> i32,
    pub clock_getres: unsafe extern "C" fn(i32, *mut [i64; 2]) -> i32,
}

#[repr(transparent)]
pub(crate) struct HooksCell(UnsafeCell<Hooks>);

// SAFETY: written only by `set_hooks`, whose caller promises that nothing is installed yet.
unsafe impl Sync for HooksCell {}

/// The hooks in use; the trampolines call through the fields by their offsets.
pub(crate) static HOOKS: HooksCell = HooksCell(UnsafeCell::new(Hooks {
    dispatch: pass_through,
    call: pass_through_by_name,
    foreign_sigsys: ignore_sigsys,
    child_started: ignore_child,
    vfork_before: refuse_vfork,
    vfork_after: ignore_vfork,
    clock_gettime: vdso::original_clock_gettime,
    gettimeofday: vdso::original_gettimeofday,
    time: vdso::original_time,
    getcpu: vdso::original_getcpu,
    clock_getres: vdso::original_clock_getres,
}));

/// Sets all hooks.
///
/// # Safety
/// Must come before anything is patched or armed, while the process has one thread.
pub unsafe fn set_hooks(hooks: &Hooks) {
    // SAFETY: the hooks are not read yet, by the contract above.
    unsafe { *HOOKS.0.get() = *hooks };
}

/// The hooks in use.
#[inline(always)]
pub(crate) fn current() -> &'static Hooks {
    // SAFETY: not written any more once an entrance can run.
    unsafe { &*HOOKS.0.get() }
}

/// # Safety
/// The frame must be the live one of this thread's call.
unsafe extern "C" fn pass_through(frame: *mut Frame) {
    // SAFETY: the trampoline passes its own live frame.
    let frame = unsafe { &mut *frame };
    let [a, b, c, d, e, f] = *frame.arguments();
    // SAFETY: the program itself asked for this call.
    frame.rax = unsafe { raw::syscall6(frame.number(), a, b, c, d, e, f) } as usize;
}

/// The hook of a call by name that makes the call and nothing else.
///
/// # Safety
/// Only as [`Hooks::call`].
pub unsafe extern "C" fn pass_through_by_name(frame: *mut Frame) -> ! {
    // SAFETY: the entrance passes its own live frame.
    unsafe {
        pass_through(frame);
        call::leave(frame)
    }
}

/// # Safety
/// None: it is unsafe because the hook of that name is.
unsafe extern "C" fn ignore_sigsys(_info: *mut u8, _context: *mut u8) {}
/// # Safety
/// None: it is unsafe because the hook of that name is.
unsafe extern "C" fn ignore_child(_cookie: usize, _frame: *mut Frame) {}
/// # Safety
/// None: it is unsafe because the hook of that name is.
unsafe extern "C" fn ignore_vfork(_frame: *mut Frame) {}

/// Without a place for the return address there is no vfork.
///
/// # Safety
/// None: it is unsafe because the hook of that name is.
unsafe extern "C" fn refuse_vfork(_frame: *mut Frame) -> isize {
    ENOSYS
}
