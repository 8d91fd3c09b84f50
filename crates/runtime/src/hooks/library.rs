//! Functions of libc that keep a state of their own under locks of their own: time zones, names of
//! hosts and users, locales, loaded libraries, the list of streams. Together they are one object.
//! The list of functions is in `runtime-abi/src/library.rs`.
//!
//! # Why they come in one order
//!
//! libc takes those locks inside, unseen. A thread of a replay that got one of them earlier than in
//! the recording, and then waits for its turn with the heap or a call, keeps out the thread whose
//! turn it is: eight threads that call `localtime`, `getaddrinfo`, `dlopen` or `popen` came to a
//! standstill in nearly every replay. So one thread at a time is in such a function, in a kept
//! order. The order of the locks is: threads, forks, libc's state, the heap.
//!
//! # Where others are let in
//!
//! That must not serialise what waits, and must not lock up. A thread that makes a call that may
//! wait, waits for a lock, or runs a handler lets others in meanwhile. Both runs know these places
//! for calls and handlers. A wait for a lock is a matter of time, so the recording notes that
//! another thread came in (`LET_IN`, after the `ACQUIRE` of coming back), and a replay lets others
//! in there whether it has to wait or not.
//!
//! A function that is left by cancellation goes out through a personality routine: the frame of our
//! stub has one that notes the way out and lets the unwinder go on. `dlsym` without a library looks
//! at its caller, and returns by way of a `ret` in the caller's code.
//!
//! Not in this order: functions that sort or search with the program's own comparison, `getenv`,
//! and regular expressions (`regex.rs`). A process whose second thread was made by libc itself
//! (timers that start threads, `aio_read`) is serial in mode auto, because that thread takes locks
//! that are not seen.

use super::guarded::Guarded;
use super::real::{Real, call};
use crate::log::end as log_end;
use crate::log::reader;
use crate::memory::user;
use crate::program::resolve;
use crate::state::order::{OFF, REPLAY};
use crate::state::{Thread, current};
use core::ffi::CStr;
use wayfarer_runtime_abi::atomic::{AtomicUsize, Ordering};
pub use wayfarer_runtime_abi::library_functions;
use wayfarer_runtime_abi::record::{note, sync};

static LIBRARY: Guarded = Guarded::new(sync::LIBRARY);

macro_rules! functions {
    ($($name:ident)*) => {
        /// The functions, by their names.
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types)]
        pub enum Function { $($name),* }

        const NAMES: &[&[u8]] = &[$(concat!(stringify!($name), "\0").as_bytes()),*];
    };
}

library_functions!(functions);

static FOUND: [AtomicUsize; NAMES.len()] = [const { AtomicUsize::new(0) }; NAMES.len()];

/// The real function after ours; 0: there is none.
fn real(index: usize) -> usize {
    let (Some(name), Some(place)) = (NAMES.get(index), FOUND.get(index)) else {
        return 0;
    };
    let found = place.load(Ordering::Relaxed);
    if found != 0 {
        return found;
    }
    let Ok(name) = CStr::from_bytes_with_nul(name) else {
        return 0;
    };
    // SAFETY: libc, where it is, was loaded when the program started and stays.
    let found = unsafe { resolve::next(name) };
    place.store(found, Ordering::Relaxed);
    found
}

/// What [`wayfarer_library_call`] is to call, and how.
#[repr(C)]
struct Target {
    function: usize,
    way: usize,
}

/// No thread has to come in: the function is jumped to.
const JUMP: usize = 0;
/// It is called, and left after it. Any other number stands for that too, but then it is the address of a `ret` in the
/// caller's code that the function returns to.
const CALL: usize = 1;

/// # Safety
/// Called by the stub, in the thread that calls the function.
unsafe extern "C" fn begin(index: usize, first: usize, caller: usize) -> Target {
    let function = real(index);
    let mut way = JUMP;
    // SAFETY: the pointer of this very thread.
    if let Some(thread) = unsafe { current().as_mut() }
        && thread.sync != OFF
        && may_enter(thread)
    {
        way = if looks_at_its_caller(index, first) {
            return_near(caller)
        } else {
            CALL
        };
        if way != JUMP {
            enter(thread);
        }
    }
    Target { function, way }
}

/// A `ret` on the same page as the code at `address`; 0: there is none.
fn return_near(address: usize) -> usize {
    const PAGE: usize = 4096;
    const RET: u8 = 0xc3;
    let start = address & !(PAGE - 1);
    let mut place = address;
    while place.wrapping_sub(start) < PAGE {
        if user::read::<u8>(place) == Some(RET) {
            return place;
        }
        place = place.wrapping_add(1);
    }
    place = start;
    while place < address {
        if user::read::<u8>(place) == Some(RET) {
            return place;
        }
        place = place.wrapping_add(1);
    }
    0
}

/// `dlsym` without a library, by its first argument: what it finds depends on who calls it.
fn looks_at_its_caller(index: usize, first: usize) -> bool {
    const DEFAULT: usize = 0;
    const NEXT: usize = usize::MAX;
    let searches = [Function::dlsym as usize, Function::dlvsym as usize];
    searches.contains(&index) && matches!(first, DEFAULT | NEXT)
}

/// # Safety
/// Called by the stub, in the thread that calls the function.
unsafe extern "C" fn end() {
    // SAFETY: as above.
    if let Some(thread) = unsafe { current().as_mut() } {
        leave(thread);
    }
}

/// What an unwinder says to a personality routine, and what it wants to hear.
pub const CLEANUP_PHASE: i32 = 2;
pub const CONTINUE: i32 = 8;

/// The function is left because the thread is cancelled (a personality routine of the unwinder's).
///
/// # Safety
/// Called by the unwinder for the frame of the stub, in the thread whose stack it is.
unsafe extern "C" fn unwound(_version: i32, actions: i32) -> i32 {
    if actions & CLEANUP_PHASE != 0 {
        // SAFETY: the unwinder calls us in the thread whose stack it is.
        unsafe { end() };
    }
    CONTINUE
}

unsafe extern "C" {
    /// Calls the function whose number is in eax, with the arguments that are in place already.
    pub fn wayfarer_library_call();
}

// A function that needs no coming in is jumped to, as if we were not there. None has more than ten arguments: of
// those, four are on the stack, and are copied. A function that looks at who called it finds a `ret` in the caller's
// code as its return address, which leads back here.
core::arch::global_asm!(
    ".pushsection .text.wayfarer_library_call,\"ax\",@progbits",
    ".globl wayfarer_library_call",
    ".hidden wayfarer_library_call",
    ".type wayfarer_library_call,@function",
    "wayfarer_library_call:",
    ".cfi_startproc",
    // The address is relative, in four bytes.
    ".cfi_personality 0x1b, {unwound}",
    "sub rsp, 56",
    ".cfi_adjust_cfa_offset 56",
    "mov [rsp], rdi",
    "mov [rsp + 8], rsi",
    "mov [rsp + 16], rdx",
    "mov [rsp + 24], rcx",
    "mov [rsp + 32], r8",
    "mov [rsp + 40], r9",
    "mov rsi, rdi",
    "mov edi, eax",
    "mov rdx, [rsp + 56]",
    "call {begin}",
    "mov r11, rdx",
    "mov rdi, [rsp]",
    "mov rsi, [rsp + 8]",
    "mov rdx, [rsp + 16]",
    "mov rcx, [rsp + 24]",
    "mov r8, [rsp + 32]",
    "mov r9, [rsp + 40]",
    "add rsp, 56",
    ".cfi_adjust_cfa_offset -56",
    "cmp r11, 1",
    "je 2f",
    "ja 3f",
    "jmp rax",
    "2:",
    "sub rsp, 40",
    ".cfi_adjust_cfa_offset 40",
    "mov r10, [rsp + 48]",
    "mov [rsp], r10",
    "mov r10, [rsp + 56]",
    "mov [rsp + 8], r10",
    "mov r10, [rsp + 64]",
    "mov [rsp + 16], r10",
    "mov r10, [rsp + 72]",
    "mov [rsp + 24], r10",
    "call rax",
    "mov [rsp + 32], rax",
    "call {end}",
    "mov rax, [rsp + 32]",
    "add rsp, 40",
    ".cfi_adjust_cfa_offset -40",
    "ret",
    "3:",
    "lea r10, [rip + 4f]",
    "push r10",
    ".cfi_adjust_cfa_offset 8",
    "push r11",
    ".cfi_adjust_cfa_offset 8",
    "jmp rax",
    ".cfi_adjust_cfa_offset -16",
    "4:",
    "sub rsp, 24",
    ".cfi_adjust_cfa_offset 24",
    "mov [rsp], rax",
    "call {end}",
    "mov rax, [rsp]",
    "add rsp, 24",
    ".cfi_adjust_cfa_offset -24",
    "ret",
    ".cfi_endproc",
    ".size wayfarer_library_call, . - wayfarer_library_call",
    ".popsection",
    begin = sym begin,
    end = sym end,
    unwound = sym unwound,
);

/// Whether the thread may come in: not with the heap, whose lock comes last. An allocator of the program's own may call
/// anything while it has it.
pub fn may_enter(thread: &Thread) -> bool {
    thread.library.heap_depth == 0 && thread.parallel.keeps == 0
}

/// No other thread of the process is in such a function until [`leave`]. May be nested.
pub fn enter(thread: &mut Thread) {
    if thread.library.depth == 0 {
        LIBRARY.enter(thread);
    }
    thread.library.depth += 1;
}

pub fn leave(thread: &mut Thread) {
    // Whoever was cancelled in a handler, or in a call that waits, is out already.
    if thread.library.depth == 0 {
        return;
    }
    if thread.library.depth == 1 {
        go_out(thread);
    }
    thread.library.depth -= 1;
}

/// The thread ends; it may have been cancelled in such a function.
pub fn leave_for_good(thread: &mut Thread) {
    if thread.library.depth > 0 {
        thread.library.depth = 1;
        leave(thread);
    }
}

#[inline]
fn go_out(thread: &mut Thread) {
    if thread.sync == REPLAY {
        // Where they were let in for a wait, but this time no thread had to wait.
        let_others_in(thread);
    }
    LIBRARY.leave(thread);
}

/// A function that has a hook of its own, too.
///
/// # Safety
/// As the function itself.
pub unsafe fn within(thread: &mut Thread, which: Real, a: [usize; 6]) -> usize {
    let entered = may_enter(thread);
    if entered {
        enter(thread);
    }
    // SAFETY: as the caller says.
    let result = unsafe { call(which, a) };
    if entered {
        leave(thread);
    }
    result
}

/// Lets others in, until [`resume`] with what this returns. Not while the thread has the heap.
#[inline]
pub fn suspend(thread: &mut Thread) -> u32 {
    let depth = thread.library.depth;
    if depth == 0 || !may_enter(thread) {
        return 0;
    }
    go_out(thread);
    thread.library.depth = 0;
    depth
}

#[inline]
pub fn resume(thread: &mut Thread, depth: u32) {
    if depth > 0 {
        LIBRARY.enter(thread);
        thread.library.depth = depth;
    }
}

/// A call that may wait begins: the same, kept by the thread until [`call_is_over`].
#[inline]
pub fn call_may_wait(thread: &mut Thread) {
    thread.library.waits = suspend(thread);
}

#[inline]
pub fn call_is_over(thread: &mut Thread) {
    let depth = core::mem::take(&mut thread.library.waits);
    resume(thread, depth);
}

/// Recording: before a wait for a lock; the same.
pub fn suspend_for_lock(thread: &mut Thread) -> u32 {
    let depth = suspend(thread);
    if depth > 0 {
        thread.note(note::WAITS_INSIDE, 0, &[]);
    }
    depth
}

/// Replay, before a wait for a lock: the recorded one may have lasted to the end of the process. The lock must not be
/// this thread's then, and others may come in.
pub fn stay_if_it_ended_so(thread: &mut Thread) {
    if reader::peek(thread).is_none()
        && core::ptr::eq(thread.replay.waited_inside, thread.replay.end)
    {
        suspend(thread);
        log_end::reached(thread);
    }
}

/// Recording: after a wait for a lock in which others were let in. If they came, a replay lets them in, too, whether it
/// has to wait for the lock or not.
pub fn resume_from_lock(thread: &mut Thread, depth: u32) {
    if depth > 0 {
        if LIBRARY.enter_again(thread) {
            thread.note(note::LET_IN, 0, &[]);
        }
        thread.library.depth = depth;
    }
}

/// Replay: lets others in, if they were let in here; whether they were.
#[inline(always)]
pub fn let_others_in(thread: &mut Thread) -> bool {
    thread.library.depth > 0 && let_in_as_recorded(thread)
}

#[cold]
#[inline(never)]
fn let_in_as_recorded(thread: &mut Thread) -> bool {
    let come = LIBRARY.comes_again(thread, note::LET_IN);
    if come {
        LIBRARY.leave(thread);
        LIBRARY.enter(thread);
    }
    come
}

/// The child of a fork: the thread that was in such a function is not there.
pub fn reset(thread: &mut Thread) {
    thread.library.depth = 0;
    thread.library.waits = 0;
    thread.library.loads = false;
    thread.library.loader_lock = 0;
    LIBRARY.reset();
}
