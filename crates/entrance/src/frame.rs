//! The machine state that a trampoline saves on the program's stack.

use crate::arguments::Arguments;
use crate::clone;
use wayfarer_calls::Number;

/// Bytes below the stack pointer that belong to the interrupted code.
pub const RED_ZONE: usize = 128;

/// Registers of the program at its system call, in the order in which the trampoline pushes them
/// (the last field first). Above it lies the red zone, then the program's stack.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Frame {
    pub xmm: [[u64; 2]; 16],
    pub r15: usize,
    pub r14: usize,
    pub r13: usize,
    pub r12: usize,
    pub r11: usize,
    pub r10: usize,
    pub r9: usize,
    pub r8: usize,
    pub rdi: usize,
    pub rsi: usize,
    pub rbp: usize,
    pub rbx: usize,
    pub rdx: usize,
    pub rcx: usize,
    /// Call number on entry, result on exit.
    pub rax: usize,
    pub flags: usize,
    /// Where the exit path jumps. The same as `rip`, or the rest of a stub that runs instructions
    /// which gave way to the patch.
    pub resume: usize,
    /// Address after the program's `syscall` instruction: what unwinders and debuggers see.
    pub rip: usize,
}

/// Where the arguments of a call lie in a frame.
static OFFSETS: [u16; 6] = [
    core::mem::offset_of!(Frame, rdi) as u16,
    core::mem::offset_of!(Frame, rsi) as u16,
    core::mem::offset_of!(Frame, rdx) as u16,
    core::mem::offset_of!(Frame, r10) as u16,
    core::mem::offset_of!(Frame, r8) as u16,
    core::mem::offset_of!(Frame, r9) as u16,
];

impl Frame {
    /// The program's stack pointer.
    #[inline]
    pub fn stack_pointer(&self) -> usize {
        let end = core::ptr::from_ref(self) as usize + size_of::<Frame>();
        end.wrapping_add(RED_ZONE)
    }

    #[inline]
    pub fn arguments(&self) -> Arguments {
        Arguments::new([self.rdi, self.rsi, self.rdx, self.r10, self.r8, self.r9])
    }

    /// The call that it stands for, unless that has been made.
    #[inline(always)]
    pub fn number(&self) -> Number {
        Number::new(self.rax)
    }

    /// One of [`arguments`](Frame::arguments); zero for an index that is none.
    #[inline(always)]
    pub fn argument(&self, index: u8) -> usize {
        match OFFSETS.get(index as usize) {
            // SAFETY: the offset of a register in this frame.
            Some(&offset) => unsafe { *core::ptr::from_ref(self).byte_add(offset as usize).cast() },
            None => 0,
        }
    }

    /// Lets the program go on at `rip` instead of after its call.
    #[inline]
    pub fn go_to(&mut self, rip: usize) {
        self.rip = rip;
        self.resume = rip;
    }

    /// Gives the call back to be made by the `vfork` trampoline, with the registers as they are in
    /// this frame. For a call that shares memory and stack with its child (`clone3` with
    /// `CLONE_VM | CLONE_VFORK` and no stack); the plain forms are sent there without asking.
    /// Return from the hook right after it, with `rax` still the call number.
    #[inline]
    pub fn retry_as_vfork(&mut self) {
        self.rip = self.resume;
        self.resume = clone::vfork_trampoline();
    }
}

const _: () = assert!(size_of::<Frame>() == 400);
const _: () = assert!(core::mem::offset_of!(Frame, rax) == 368);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_arguments_are_those_of_all() {
        // SAFETY: all zeros is a frame.
        let mut frame: Frame = unsafe { core::mem::zeroed() };
        (frame.rdi, frame.rsi, frame.rdx) = (1, 2, 3);
        (frame.r10, frame.r8, frame.r9) = (4, 5, 6);
        assert_eq!(*frame.arguments(), [1, 2, 3, 4, 5, 6]);
        for index in 0..6 {
            assert_eq!(frame.argument(index), usize::from(index) + 1);
        }
        assert_eq!(frame.argument(6), 0);
    }
}
