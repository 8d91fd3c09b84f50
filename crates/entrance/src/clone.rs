//! Calls that return twice: clones with a new stack, and `vfork`.
//!
//! A plain fork needs nothing from here: the hook makes the call and returns in both processes.
//! What the kernel drops in every child is the arming of dispatch (see [`crate::dispatch::arm`]).

use core::arch::global_asm;

use crate::ablation;
use crate::frame::{Frame, RED_ZONE};
use crate::hooks::{HOOKS, Hooks};
use crate::raw::syscall4;
use wayfarer_calls::Number;
use wayfarer_calls::error::EINVAL;
use wayfarer_calls::process::{CLONE_VFORK, CLONE_VM};
use wayfarer_calls::signal::SIG_SETMASK;

/// What kind of call a clone is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Own memory, or a copy of the stack: the hook makes the call itself.
    Fork,
    /// A new stack: [`clone_with_stack`].
    NewStack,
    /// Memory and stack shared while the parent sleeps: [`Frame::retry_as_vfork`].
    Vfork,
    /// Memory and stack shared by two that run at once: cannot work, with or without us.
    SharedStack,
}

/// Words of `struct clone_args` that this module looks at, and room for later ones.
const CLONE_ARGS_WORDS: usize = 16;
const ARGS_STACK: usize = 5;
const ARGS_STACK_SIZE: usize = 6;
/// Smallest `clone_args` that has a stack.
const ARGS_SIZE_MIN: usize = 64;

/// Flags and top of the new stack (0: none) of a clone or clone3.
///
/// # Safety
/// The `clone_args` of a clone3 must be readable.
unsafe fn flags_and_stack(nr: Number, args: &[usize; 6]) -> (usize, usize) {
    let [first, second, ..] = *args;
    match nr {
        Number::CLONE3 if second >= ARGS_SIZE_MIN => {
            let words = first as *const usize;
            // SAFETY: readable by contract, and long enough.
            let (flags, stack, size) = unsafe {
                (
                    words.read_unaligned(),
                    words.add(ARGS_STACK).read_unaligned(),
                    words.add(ARGS_STACK_SIZE).read_unaligned(),
                )
            };
            (
                flags,
                if stack == 0 {
                    0
                } else {
                    stack.wrapping_add(size)
                },
            )
        }
        Number::CLONE => (first, second),
        Number::VFORK => (CLONE_VM | CLONE_VFORK, 0),
        _ => (0, 0),
    }
}

/// Classifies a fork, vfork, clone or clone3.
///
/// # Safety
/// The `clone_args` of a clone3 must be readable.
pub unsafe fn shape(nr: Number, args: &[usize; 6]) -> Shape {
    // SAFETY: the caller's promise is the same.
    let (flags, stack) = unsafe { flags_and_stack(nr, args) };
    if stack != 0 {
        Shape::NewStack
    } else if flags & CLONE_VM == 0 || is_fork_by_ablation(flags) {
        Shape::Fork
    } else if flags & CLONE_VFORK != 0 {
        Shape::Vfork
    } else {
        Shape::SharedStack
    }
}

fn is_fork_by_ablation(flags: usize) -> bool {
    flags & CLONE_VFORK != 0 && ablation::is_off(ablation::VFORK)
}

/// vfork, or a clone that is one.
pub(crate) fn is_plain_vfork(nr: Number, flags: usize, stack: usize) -> bool {
    let both = CLONE_VM | CLONE_VFORK;
    (nr == Number::VFORK || (nr == Number::CLONE && flags & both == both && stack == 0))
        && !ablation::is_off(ablation::VFORK)
}

/// What a new child finds at its stack pointer.
#[repr(C)]
struct Start {
    cookie: usize,
    mask: u64,
    frame: Frame,
}

unsafe extern "C" {
    fn wayfarer_clone(nr: Number, args: *const usize) -> isize;
    fn wayfarer_vfork();
}

global_asm!(
    ".pushsection .text.wayfarer_clone,\"ax\",@progbits",
    ".globl wayfarer_clone",
    ".hidden wayfarer_clone",
    ".type wayfarer_clone,@function",
    ".p2align 4",
    "wayfarer_clone:",
    ".cfi_startproc",
    "mov rax, rdi",
    "mov r11, rsi",
    "mov rdi, [r11]",
    "mov rsi, [r11 + 8]",
    "mov rdx, [r11 + 16]",
    "mov r10, [r11 + 24]",
    "mov r8, [r11 + 32]",
    "mov r9, [r11 + 40]",
    "syscall",
    "test rax, rax",
    "jz 2f",
    "ret",
    // The child: rsp is its `Start`. Control words of the floating point units are the parent's.
    "2:",
    ".cfi_def_cfa rsp, 0",
    ".cfi_undefined rip",
    "lea rbx, [rsp + {frame}]",
    ".cfi_def_cfa_register rbx",
    "mov rdi, [rsp + {cookie}]",
    "mov rsi, rbx",
    "and rsp, -16",
    "call qword ptr [rip + {hooks} + {child_started}]",
    "lea rsi, [rbx + {mask} - {frame}]",
    "mov eax, {rt_sigprocmask}",
    "mov edi, {set_mask}",
    "xor edx, edx",
    "mov r10d, 8",
    "syscall",
    "jmp wayfarer_leave",
    ".cfi_endproc",
    ".size wayfarer_clone, . - wayfarer_clone",
    ".popsection",
    hooks = sym HOOKS,
    child_started = const core::mem::offset_of!(Hooks, child_started),
    cookie = const core::mem::offset_of!(Start, cookie),
    mask = const core::mem::offset_of!(Start, mask),
    frame = const core::mem::offset_of!(Start, frame),
    rt_sigprocmask = const Number::RT_SIGPROCMASK.get(),
    set_mask = const SIG_SETMASK,
);

pub(crate) fn vfork_trampoline() -> usize {
    wayfarer_vfork as *const () as usize
}

/// Makes a clone or clone3 that has a new stack ([`Shape::NewStack`]) and returns its result to the
/// parent. The child starts in our own code on its new stack, calls
/// [`Hooks::child_started`]`(cookie, frame)` with its own copy of `frame` (`rax` = 0), and returns into
/// the program as from the call. All signals are blocked from before the call until the hook in the
/// child has returned, so none can meet the child unarmed.
///
/// # Safety
/// `frame` must be the live frame of the call. A clone3's `clone_args` must be readable, the new
/// stack writable.
pub unsafe fn clone_with_stack(
    frame: *mut Frame,
    nr: Number,
    mut args: [usize; 6],
    cookie: usize,
) -> isize {
    if ablation::is_off(ablation::CHILD_FRAME) {
        // SAFETY: what the program asked for, and what becomes of its child is what the test wants to see.
        return unsafe { wayfarer_clone(nr, args.as_ptr()) };
    }
    // SAFETY: readable by contract.
    let (_, top) = unsafe { flags_and_stack(nr, &args) };
    let start = top.wrapping_sub(RED_ZONE).wrapping_sub(size_of::<Start>());
    if top < RED_ZONE + size_of::<Start>() {
        return EINVAL;
    }
    let mut clone_args = [0usize; CLONE_ARGS_WORDS];
    if nr == Number::CLONE3 {
        let [source, size, ..] = args;
        let room = size_of_val(&clone_args);
        if size > room {
            return EINVAL;
        }
        // SAFETY: readable by contract; the size was checked.
        unsafe {
            core::ptr::copy_nonoverlapping(
                source as *const u8,
                clone_args.as_mut_ptr().cast::<u8>(),
                size,
            );
        }
        let stack = clone_args[ARGS_STACK];
        if start <= stack {
            return EINVAL;
        }
        clone_args[ARGS_STACK_SIZE] = start - stack;
        args[0] = clone_args.as_ptr() as usize;
    } else {
        args[1] = start;
    }

    let everything = u64::MAX;
    let mut mask = 0u64;
    // SAFETY: the masks are ours.
    unsafe {
        syscall4(
            Number::RT_SIGPROCMASK,
            SIG_SETMASK,
            &raw const everything as usize,
            &raw mut mask as usize,
            8,
        );
    }
    // SAFETY: the new stack is writable by contract; the child needs this at its first instruction.
    unsafe {
        let start = start as *mut Start;
        (&raw mut (*start).cookie).write_unaligned(cookie);
        (&raw mut (*start).mask).write_unaligned(mask);
        let copy = &raw mut (*start).frame;
        copy.write_unaligned(*frame);
        (&raw mut (*copy).rax).write_unaligned(0);
    }
    // SAFETY: the program asked for this call; the child runs on its own stack.
    let result = unsafe { wayfarer_clone(nr, args.as_ptr()) };
    // SAFETY: gives back the mask of before.
    unsafe {
        syscall4(
            Number::RT_SIGPROCMASK,
            SIG_SETMASK,
            &raw const mask as usize,
            0,
            8,
        )
    };
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape_of(nr: Number, args: [usize; 6]) -> Shape {
        // SAFETY: the tests pass live clone_args.
        unsafe { shape(nr, &args) }
    }

    #[test]
    fn shapes_of_clone() {
        let both = CLONE_VM | CLONE_VFORK;
        assert_eq!(shape_of(Number::FORK, [0; 6]), Shape::Fork);
        assert_eq!(shape_of(Number::VFORK, [0; 6]), Shape::Vfork);
        assert_eq!(shape_of(Number::CLONE, [17, 0, 0, 0, 0, 0]), Shape::Fork);
        assert_eq!(shape_of(Number::CLONE, [both, 0, 0, 0, 0, 0]), Shape::Vfork);
        assert_eq!(
            shape_of(Number::CLONE, [both, 4096, 0, 0, 0, 0]),
            Shape::NewStack
        );
        assert_eq!(
            shape_of(Number::CLONE, [CLONE_VM, 0, 0, 0, 0, 0]),
            Shape::SharedStack
        );
    }

    #[test]
    fn shapes_of_clone3() {
        let mut words = [0usize; 11];
        let args = |words: &[usize; 11]| [words.as_ptr() as usize, 88, 0, 0, 0, 0];
        assert_eq!(shape_of(Number::CLONE3, args(&words)), Shape::Fork);
        words[0] = CLONE_VM | CLONE_VFORK;
        assert_eq!(shape_of(Number::CLONE3, args(&words)), Shape::Vfork);
        words[5] = 4096;
        words[6] = 4096;
        assert_eq!(shape_of(Number::CLONE3, args(&words)), Shape::NewStack);
    }
}
