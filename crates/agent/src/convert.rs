//! Registers for the debugger and in the kernel.

use wayfarer_backend::{GeneralRegisters, VectorRegisters};
use wayfarer_ptrace::{Registers, VectorState};

/// The general registers for the debugger.
pub fn general_of(registers: &Registers) -> GeneralRegisters {
    let r = &registers.0;
    GeneralRegisters {
        rax: r.rax,
        rbx: r.rbx,
        rcx: r.rcx,
        rdx: r.rdx,
        rsi: r.rsi,
        rdi: r.rdi,
        rbp: r.rbp,
        rsp: r.rsp,
        r8: r.r8,
        r9: r.r9,
        r10: r.r10,
        r11: r.r11,
        r12: r.r12,
        r13: r.r13,
        r14: r.r14,
        r15: r.r15,
        rip: r.rip,
        eflags: r.eflags,
        cs: r.cs,
        ss: r.ss,
        ds: r.ds,
        es: r.es,
        fs: r.fs,
        gs: r.gs,
        fs_base: r.fs_base,
        gs_base: r.gs_base,
        orig_rax: r.orig_rax,
    }
}

/// The general registers from the debugger.
pub fn registers_of(general: &GeneralRegisters) -> Registers {
    let mut registers = Registers::zeroed();
    let r = &mut registers.0;
    r.rax = general.rax;
    r.rbx = general.rbx;
    r.rcx = general.rcx;
    r.rdx = general.rdx;
    r.rsi = general.rsi;
    r.rdi = general.rdi;
    r.rbp = general.rbp;
    r.rsp = general.rsp;
    r.r8 = general.r8;
    r.r9 = general.r9;
    r.r10 = general.r10;
    r.r11 = general.r11;
    r.r12 = general.r12;
    r.r13 = general.r13;
    r.r14 = general.r14;
    r.r15 = general.r15;
    r.rip = general.rip;
    r.eflags = general.eflags;
    r.cs = general.cs;
    r.ss = general.ss;
    r.ds = general.ds;
    r.es = general.es;
    r.fs = general.fs;
    r.gs = general.gs;
    r.fs_base = general.fs_base;
    r.gs_base = general.gs_base;
    r.orig_rax = general.orig_rax;
    registers
}

/// Vector registers for the debugger.
pub fn vector_of(state: &VectorState) -> VectorRegisters {
    let (control, status, _) = state.x87_control();
    let (opcode, instruction, operand) = state.x87_last();
    VectorRegisters {
        ymm: state.ymm(),
        mxcsr: state.mxcsr(),
        st: state.x87(),
        fctrl: u32::from(control),
        fstat: u32::from(status),
        ftag: u32::from(state.x87_tags()),
        has_avx: state.has_avx(),
        zmm_high: state.zmm_high(),
        fop: u32::from(opcode),
        fip: instruction,
        fdp: operand,
    }
}

/// Changes the parts of the state that the debugger may change: ymm and mxcsr.
pub fn change_vector(state: &mut VectorState, vector: &VectorRegisters) {
    state.set_ymm(&vector.ymm);
    state.set_mxcsr(vector.mxcsr);
}
