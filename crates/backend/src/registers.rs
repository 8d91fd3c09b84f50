//! The registers of an x86-64 thread.

use crate::ThreadId;

/// General and segment registers, with the names that the kernel gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct GeneralRegisters {
    pub rax: u64,
    pub rbx: u64,
    pub rcx: u64,
    pub rdx: u64,
    pub rsi: u64,
    pub rdi: u64,
    pub rbp: u64,
    pub rsp: u64,
    pub r8: u64,
    pub r9: u64,
    pub r10: u64,
    pub r11: u64,
    pub r12: u64,
    pub r13: u64,
    pub r14: u64,
    pub r15: u64,
    pub rip: u64,
    pub eflags: u64,
    pub cs: u64,
    pub ss: u64,
    pub ds: u64,
    pub es: u64,
    pub fs: u64,
    pub gs: u64,
    pub fs_base: u64,
    pub gs_base: u64,
    /// The number of the system call that the thread is in; all ones outside of one.
    pub orig_rax: u64,
}

/// Vector and x87 state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorRegisters {
    /// ymm0 to ymm15, little endian; the low 16 bytes of each are xmmN. The upper halves are zero without AVX.
    pub ymm: [[u8; 32]; 16],
    /// Whether the processor has the upper halves.
    pub has_avx: bool,
    /// The upper halves of zmm0 to zmm15, where the processor has them.
    pub zmm_high: Option<[[u8; 32]; 16]>,
    /// SSE control and status.
    pub mxcsr: u32,
    /// st0 to st7, top of stack first.
    pub st: [[u8; 10]; 8],
    /// x87 control word.
    pub fctrl: u32,
    /// x87 status word.
    pub fstat: u32,
    /// The full x87 tag word, as gdb shows it.
    pub ftag: u32,
    /// Last x87 opcode.
    pub fop: u32,
    /// Address of the last x87 instruction.
    pub fip: u64,
    /// Address of its operand.
    pub fdp: u64,
}

/// Gives a stopped thread other registers. Whole sets are written: read them first and change what is to change.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteRegistersRequest {
    /// Whose.
    pub thread: ThreadId,
    /// The new general registers, if they change.
    pub general: Option<GeneralRegisters>,
    /// The new vector registers, if they change: ymm and mxcsr count.
    pub vector: Option<Box<VectorRegisters>>,
    /// The thread is back where it has stood before: what lies at the new place has been told already, and this is to
    /// be delivered when it goes on.
    pub back: Option<Option<i32>>,
}
