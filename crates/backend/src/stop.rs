//! Why a thread has stopped: one closed enum.

use crate::{BreakpointId, GeneralRegisters, ProcessId, ThreadId};

/// A thread that stopped for a reason of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadStop {
    /// Whose thread.
    pub process: ProcessId,
    /// Which thread.
    pub thread: ThreadId,
    /// Why.
    pub reason: StopReason,
    /// Its registers; none if it went before they could be read.
    pub registers: Option<GeneralRegisters>,
    /// In a replay: how many events of the recording it has made.
    pub events: Option<u64>,
}

/// Why a thread stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum StopReason {
    /// It reached breakpoints.
    Breakpoint(BreakpointHit),
    /// Memory that is watched was written or read.
    Watchpoint(WatchpointHit),
    /// A signal has arrived.
    Signal(SignalReceived),
    /// What `resume` asked for has been done.
    Step(StepDone),
    /// A system call that is caught.
    Syscall(SyscallStop),
    /// A child was made, and that is caught.
    Fork(ForkStop),
    /// A program was replaced, and that is caught.
    Exec(Vec<BreakpointId>),
    /// Somebody asked for it.
    Halted,
    /// All have arrived at a barrier.
    Barrier(BarrierComplete),
    /// Launched and at its first instruction, or attached to.
    Initial,
    /// A replay cannot go on, because its recording has no more; where everybody is.
    EndOfTrace(String),
    /// A replay met what its recording does not have; the explanation.
    Diverged(String),
    /// Nobody in a replay can go on, as `settle` asked.
    Settled,
    /// An int3 of the program's own, or another trap that none of ours explains.
    Trap,
}

/// Breakpoints that a thread stands at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BreakpointHit {
    /// Those that stop it.
    pub ids: Vec<BreakpointId>,
    /// Predicates that could not be evaluated; such a breakpoint stops.
    pub failures: Vec<PredicateFailure>,
}

/// A predicate that could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateFailure {
    /// Whose.
    pub id: BreakpointId,
    /// Why.
    pub message: String,
}

/// Watchpoints that a thread triggered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchpointHit {
    /// Each with what has changed.
    pub watches: Vec<WatchReport>,
}

/// What a watchpoint saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchReport {
    /// Which.
    pub id: BreakpointId,
    /// Where it watches.
    pub address: u64,
    /// The bytes before.
    pub old: Vec<u8>,
    /// The bytes now.
    pub new: Vec<u8>,
}

/// A signal that stopped a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignalReceived {
    /// Its number.
    pub signal: i32,
    /// The kernel's si_code.
    pub code: i32,
    /// For faults: the address.
    pub address: u64,
    /// It will be delivered when the thread is resumed, unless that says otherwise.
    pub will_pass: bool,
    /// The kernel's siginfo_t.
    pub details: Vec<u8>,
}

/// A step that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepDone {
    /// How it ended.
    pub end: StepEnd,
    /// The last instruction was a call: pc is the entry of the callee, the return address is on the stack.
    pub entered_call: bool,
    /// Instructions that it took, as far as they were counted.
    pub instructions: u64,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// It left the ranges, or did its count of instructions.
    Left,
    /// The stack pointer went above the guard.
    Returned,
    /// It reached an address that it was to run to.
    Reached,
}

/// A thread at a system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyscallStop {
    /// Who catches it.
    pub ids: Vec<BreakpointId>,
    /// Its number.
    pub number: u64,
    /// At entry: the arguments are in the registers. Else at return: the value is in rax.
    pub entry: bool,
}

/// A thread that made a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkStop {
    /// Who catches it.
    pub ids: Vec<BreakpointId>,
    /// The child, if it is in the session.
    pub child: Option<ProcessId>,
    /// The kernel's number of the child.
    pub child_pid: i32,
    /// By vfork or posix_spawn.
    pub vfork: bool,
}

/// A barrier at which all have arrived, or those who have not are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarrierComplete {
    /// Which.
    pub id: BreakpointId,
    /// Who waited there.
    pub threads: Vec<ThreadId>,
}
