//! What the kernel says about a signal, and the state of signals of a launched program.

use crate::cushion_code::REWOUND;
use std::fmt;

/// The details of a signal that is about to be delivered.
#[derive(Clone, Copy)]
pub struct SignalInfo {
    raw: libc::siginfo_t,
}

impl SignalInfo {
    pub(crate) fn new(raw: libc::siginfo_t) -> SignalInfo {
        SignalInfo { raw }
    }

    pub(crate) fn raw(&self) -> &libc::siginfo_t {
        &self.raw
    }

    /// The kernel's structure, byte by byte.
    pub fn bytes(&self) -> Vec<u8> {
        let first = (&raw const self.raw).cast::<u8>();
        // SAFETY: the structure came from the kernel as a whole, its padding included; it lives as long as `self`.
        unsafe { std::slice::from_raw_parts(first, size_of::<libc::siginfo_t>()) }.to_vec()
    }

    /// Its number.
    pub fn signal(&self) -> i32 {
        self.raw.si_signo
    }

    /// `si_code`: how it came about.
    pub fn code(&self) -> i32 {
        self.raw.si_code
    }

    /// Whether an instruction of the thread itself caused it, rather than a sender.
    pub fn is_fault(&self) -> bool {
        self.raw.si_code > 0
            && matches!(
                self.raw.si_signo,
                libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL | libc::SIGTRAP
            )
    }

    /// The address of a fault.
    pub fn address(&self) -> u64 {
        if !self.is_fault() {
            return 0;
        }
        // SAFETY: for these signals with a positive code the kernel fills in the fault's part of the union.
        (unsafe { self.raw.si_addr() }) as u64
    }

    /// The trap of a breakpoint at `address` whose thread has been, or is about to be, put before it: should it be
    /// delivered after our death, the thread goes on there.
    pub fn rewound(mut self, address: u64) -> SignalInfo {
        /// Where the kernel keeps the address of a fault.
        const ADDRESS: usize = 16;
        self.raw.si_errno = REWOUND;
        // SAFETY: siginfo_t is plain data of 128 bytes, and for a trap these eight are its address.
        unsafe {
            (&raw mut self.raw)
                .byte_add(ADDRESS)
                .cast::<u64>()
                .write(address);
        }
        self
    }

    /// Where the thread goes on, if [`SignalInfo::rewound`] says so.
    pub(crate) fn rewound_to(&self) -> Option<u64> {
        (self.raw.si_errno == REWOUND && self.is_fault()).then(|| self.address())
    }

    /// The sender's pid and uid, where there is a sender.
    pub fn sender(&self) -> Option<(u32, u32)> {
        if self.raw.si_code > 0 && self.raw.si_signo != libc::SIGCHLD {
            return None;
        }
        // SAFETY: for sent signals and SIGCHLD the union begins with pid and uid; for others of the kernel's these
        // are plain numbers without meaning.
        let (pid, uid) = unsafe { (self.raw.si_pid(), self.raw.si_uid()) };
        Some((pid as u32, uid))
    }
}

impl fmt::Debug for SignalInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SignalInfo")
            .field("signal", &self.signal())
            .field("code", &self.code())
            .finish_non_exhaustive()
    }
}

/// `si_code` of a breakpoint instruction on x86.
pub const CODE_KERNEL: i32 = 0x80;
/// `si_code` of a finished single step at the end of a system call.
pub const CODE_BREAKPOINT: i32 = 1;
/// `si_code` of a finished single step.
pub const CODE_TRACE: i32 = 2;
/// `si_code` of a hardware watchpoint.
pub const CODE_HARDWARE: i32 = 4;
