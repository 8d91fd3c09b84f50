//! Registers on the wire and in the kernel.

use wayfarer_protocol as wire;
use wayfarer_ptrace::{Registers, VectorState};

/// The general registers for the debugger.
pub fn general_to_wire(registers: &Registers) -> wire::GeneralRegisters {
    let r = &registers.0;
    wire::GeneralRegisters {
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
pub fn general_from_wire(wire: &wire::GeneralRegisters) -> Registers {
    let mut registers = Registers::zeroed();
    let r = &mut registers.0;
    r.rax = wire.rax;
    r.rbx = wire.rbx;
    r.rcx = wire.rcx;
    r.rdx = wire.rdx;
    r.rsi = wire.rsi;
    r.rdi = wire.rdi;
    r.rbp = wire.rbp;
    r.rsp = wire.rsp;
    r.r8 = wire.r8;
    r.r9 = wire.r9;
    r.r10 = wire.r10;
    r.r11 = wire.r11;
    r.r12 = wire.r12;
    r.r13 = wire.r13;
    r.r14 = wire.r14;
    r.r15 = wire.r15;
    r.rip = wire.rip;
    r.eflags = wire.eflags;
    r.cs = wire.cs;
    r.ss = wire.ss;
    r.ds = wire.ds;
    r.es = wire.es;
    r.fs = wire.fs;
    r.gs = wire.gs;
    r.fs_base = wire.fs_base;
    r.gs_base = wire.gs_base;
    r.orig_rax = wire.orig_rax;
    registers
}

/// Vector registers for the debugger.
pub fn vector_to_wire(state: &VectorState) -> wire::VectorRegisters {
    let (control, status, _) = state.x87_control();
    let (opcode, instruction, operand) = state.x87_last();
    wire::VectorRegisters {
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
pub fn vector_from_wire(wire: &wire::VectorRegisters, state: &mut VectorState) {
    state.set_ymm(&wire.ymm);
    state.set_mxcsr(wire.mxcsr);
}
