//! The ucontext that a handler called by us gets to see.

use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::signal_frame::UContext;

/// The registers of the program at its call.
pub fn from_frame(frame: &Frame) -> UContext {
    // SAFETY: all fields are plain numbers.
    let mut context: UContext = unsafe { core::mem::zeroed() };
    let registers = &mut context.registers;
    registers.r8 = frame.r8;
    registers.r9 = frame.r9;
    registers.r10 = frame.r10;
    registers.r11 = frame.r11;
    registers.r12 = frame.r12;
    registers.r13 = frame.r13;
    registers.r14 = frame.r14;
    registers.r15 = frame.r15;
    registers.rdi = frame.rdi;
    registers.rsi = frame.rsi;
    registers.rbp = frame.rbp;
    registers.rbx = frame.rbx;
    registers.rdx = frame.rdx;
    registers.rax = frame.rax;
    registers.rcx = frame.rcx;
    registers.rsp = frame.stack_pointer();
    registers.rip = frame.rip;
    registers.flags = frame.flags;
    context
}

/// What the handler changed comes into force, but for the stack pointer.
pub fn into_frame(context: &UContext, frame: &mut Frame) {
    let registers = &context.registers;
    frame.r8 = registers.r8;
    frame.r9 = registers.r9;
    frame.r10 = registers.r10;
    frame.r12 = registers.r12;
    frame.r13 = registers.r13;
    frame.r14 = registers.r14;
    frame.r15 = registers.r15;
    frame.rdi = registers.rdi;
    frame.rsi = registers.rsi;
    frame.rbp = registers.rbp;
    frame.rbx = registers.rbx;
    frame.rdx = registers.rdx;
    frame.rax = registers.rax;
    if registers.rip != frame.rip {
        frame.go_to(registers.rip);
    }
}
