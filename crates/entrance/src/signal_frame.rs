//! The kernel's signal structures on x86-64.

pub const SIGILL: i32 = 4;
pub const SIGBUS: i32 = 7;
pub const SIGSEGV: i32 = 11;
/// No program raises it or waits for it: ours, for threads that must be stopped in the middle of the program's code.
/// Not SIGSYS, of which one at a time can wait: a dispatched call would be lost after another one.
pub const SIGSTKFLT: i32 = 16;
pub const SIGSYS: i32 = 31;

pub const SA_SIGINFO: u64 = 4;
pub const SA_ONSTACK: u64 = 0x0800_0000;
pub const SA_RESTORER: u64 = 0x0400_0000;
pub const SA_RESTART: u64 = 0x1000_0000;
pub const SA_NODEFER: u64 = 0x4000_0000;
pub const SA_RESETHAND: u64 = 0x8000_0000;

pub use wayfarer_calls::signal::{SIG_BLOCK, SIG_SETMASK, SIG_UNBLOCK};

/// Bit of a signal in a mask.
pub const fn bit(signal: i32) -> u64 {
    1u64.wrapping_shl((signal as u32).wrapping_sub(1))
}

/// What `rt_sigaction` takes and gives.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SigAction {
    pub handler: usize,
    pub flags: u64,
    pub restorer: usize,
    pub mask: u64,
}

/// `siginfo_t`: 128 bytes whose meaning depends on the signal.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct SigInfo {
    pub signal: i32,
    pub errno: i32,
    pub code: i32,
    pad: i32,
    fields: [u64; 14],
}

impl SigInfo {
    /// `si_addr` of a fault, `si_call_addr` of SIGSYS.
    pub fn address(&self) -> usize {
        let [address, ..] = self.fields;
        address as usize
    }

    /// `si_syscall` of SIGSYS.
    pub fn call_number(&self) -> i32 {
        let [_, word, ..] = self.fields;
        word as i32
    }

    /// `si_arch` of SIGSYS.
    pub fn architecture(&self) -> u32 {
        let [_, word, ..] = self.fields;
        (word >> 32) as u32
    }

    /// `si_pid` of a signal that a process sent.
    pub fn sender(&self) -> i32 {
        let [word, ..] = self.fields;
        word as i32
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct AlternateStack {
    pub base: usize,
    pub flags: i32,
    pad: i32,
    pub size: usize,
}

/// `struct sigcontext`: the registers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SigContext {
    pub r8: usize,
    pub r9: usize,
    pub r10: usize,
    pub r11: usize,
    pub r12: usize,
    pub r13: usize,
    pub r14: usize,
    pub r15: usize,
    pub rdi: usize,
    pub rsi: usize,
    pub rbp: usize,
    pub rbx: usize,
    pub rdx: usize,
    pub rax: usize,
    pub rcx: usize,
    pub rsp: usize,
    pub rip: usize,
    pub flags: usize,
    pub cs: u16,
    pub gs: u16,
    pub fs: u16,
    pub ss: u16,
    pub error: usize,
    pub trap_number: usize,
    pub old_mask: u64,
    pub fault_address: usize,
    /// Address of the saved floating point and vector state; 0 if there is none.
    pub vector_state: usize,
    reserved: [u64; 8],
}

impl SigContext {
    /// A general register by its number in instructions.
    pub fn numbered(&mut self, number: u8) -> &mut usize {
        match number & 15 {
            0 => &mut self.rax,
            1 => &mut self.rcx,
            2 => &mut self.rdx,
            3 => &mut self.rbx,
            4 => &mut self.rsp,
            5 => &mut self.rbp,
            6 => &mut self.rsi,
            7 => &mut self.rdi,
            8 => &mut self.r8,
            9 => &mut self.r9,
            10 => &mut self.r10,
            11 => &mut self.r11,
            12 => &mut self.r12,
            13 => &mut self.r13,
            14 => &mut self.r14,
            _ => &mut self.r15,
        }
    }
}

/// `ucontext_t` as the kernel writes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UContext {
    pub flags: u64,
    pub link: usize,
    pub stack: AlternateStack,
    pub registers: SigContext,
    /// The mask that the return from the handler restores.
    pub mask: u64,
}

impl UContext {
    /// # Safety
    /// `context` must be the third argument of a live SA_SIGINFO handler.
    #[inline]
    pub unsafe fn from_handler<'a>(context: *mut u8) -> &'a mut UContext {
        // SAFETY: the kernel wrote a ucontext there, and nothing else uses it.
        unsafe { &mut *context.cast() }
    }
}

const _: () = assert!(size_of::<SigInfo>() == 128);
const _: () = assert!(size_of::<SigContext>() == 256);
const _: () = assert!(core::mem::offset_of!(UContext, registers) == 40);
const _: () = assert!(core::mem::offset_of!(UContext, mask) == 296);
const _: () = assert!(core::mem::offset_of!(SigContext, rip) == 128);
