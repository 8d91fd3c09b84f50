//! Calling a function in a stopped thread.

use crate::{GeneralRegisters, ThreadId, ThreadStop, VectorRegisters};

/// Calls a function by the System V convention. The thread is put back as it was, whatever happens (its vector
/// registers too, and a system call that it was in). Other threads stay stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferiorCallRequest {
    /// Who calls.
    pub thread: ThreadId,
    /// What.
    pub function: u64,
    /// rdi, rsi, rdx, rcx, r8, r9, then the stack.
    pub arguments: Vec<CallArgument>,
    /// xmm0 to xmm7, up to 16 bytes each, little endian.
    pub vector_arguments: Vec<Vec<u8>>,
    /// Laid out on the stack for the time of the call, each aligned to 16; arguments can be their addresses.
    pub blocks: Vec<Vec<u8>>,
    /// How long it may run; none: 10 seconds.
    pub timeout_ms: Option<u32>,
    /// If something stops the thread in the called function, it stays there and nothing is put back.
    pub stay: bool,
}

impl InferiorCallRequest {
    /// A call without arguments.
    pub fn new(thread: ThreadId, function: u64) -> InferiorCallRequest {
        InferiorCallRequest {
            thread,
            function,
            arguments: Vec::new(),
            vector_arguments: Vec::new(),
            blocks: Vec::new(),
            timeout_ms: None,
            stay: false,
        }
    }
}

/// An argument that is passed like an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallArgument {
    /// It.
    Number(u64),
    /// The address of this block.
    Block(u32),
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum InferiorCallReply {
    /// The function returned.
    Returned(CallReturned),
    /// Something stopped the thread before that.
    Stopped(CallStopped),
}

/// A function that returned.
#[derive(Clone, Debug, PartialEq)]
pub struct CallReturned {
    /// rax and rdx hold an integer value.
    pub general: GeneralRegisters,
    /// xmm0, xmm1 and st0 hold a value of another kind.
    pub vector: Option<Box<VectorRegisters>>,
    /// The blocks after the call.
    pub blocks: Vec<Block>,
}

/// A block after the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it was.
    pub address: u64,
    /// What was in it then.
    pub bytes: Vec<u8>,
}

/// A thread that was stopped in the function that it called.
#[derive(Clone, Debug, PartialEq)]
pub struct CallStopped {
    /// What stopped it, and where.
    pub stop: ThreadStop,
    /// What is needed to put things back, if it has stayed there.
    pub stayed: Option<StayedIn>,
}

/// A thread that has stayed in a called function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StayedIn {
    /// Where the function returns to.
    pub return_address: u64,
    /// The stack pointer after its return.
    pub stack: u64,
    /// Was to be delivered to the thread when it went on.
    pub signal: Option<i32>,
}
