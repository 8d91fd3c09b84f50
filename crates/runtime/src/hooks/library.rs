//! Functions of libc that keep a state of their own under locks of their own: time zones, names of
//! hosts and users, locales, loaded libraries, the list of streams. Together they are one object
//! (`parallel/library.rs`).
//! The list of functions is in `runtime-abi/src/library.rs`.
//!
//! A function that is left by cancellation goes out through a personality routine: the frame of our
//! stub has one that notes the way out and lets the unwinder go on. `dlsym` without a library looks
//! at its caller, and returns by way of a `ret` in the caller's code.
//!
//! Not in this order: functions that sort or search with the program's own comparison, `getenv`,
//! and regular expressions (`regex.rs`). A process whose second thread was made by libc itself
//! (timers that start threads, `aio_read`) is serial in mode auto, because that thread takes locks
//! that are not seen.

use super::real::{Real, call};
use crate::memory::user;
use crate::parallel::library::{enter, leave, may_enter};
use crate::program::resolve;
use crate::state::order::OFF;
use crate::state::{Thread, current};
use core::ffi::CStr;
use wayfarer_entrance::arguments::Address;
use wayfarer_runtime_abi::atomic::{AtomicUsize, Ordering};
pub use wayfarer_runtime_abi::library_functions;

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
        if user::read::<u8>(Address::new(place)) == Some(RET) {
            return place;
        }
        place = place.wrapping_add(1);
    }
    place = start;
    while place < address {
        if user::read::<u8>(Address::new(place)) == Some(RET) {
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
