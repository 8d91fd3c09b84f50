//! The frames of a thread, one for each function that was really called, innermost first.

use super::heuristics::{Guess, guess};
use super::rules::{canonical_frame_address, restore};
use super::space::{AddressSpace, LoadedModule};
use crate::location::Unreadable;
use crate::registers::{Register, Registers};

/// No real stack has more; a walk that gets here goes round in circles.
pub const MOST_ACTIVATIONS: usize = 1 << 20;

/// How a frame came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActivationKind {
    /// A function that was called.
    Normal,
    /// What the kernel left on the stack to run a signal handler.
    Signal,
    /// What a debugger left on the stack to call a function.
    Called,
}

/// One call that has not returned, with the registers as they were at that call.
#[derive(Clone)]
pub struct Activation {
    /// The registers in this frame.
    pub registers: Registers,
    /// The instruction that will run next in this frame.
    pub pc: u64,
    /// Whether `pc` is an instruction that was about to run (innermost frame, interrupted by a
    /// signal), not the one after a call.
    pub pc_is_exact: bool,
    /// Whether it is a function or the kernel's signal frame.
    pub kind: ActivationKind,
    /// The canonical frame address: the stack pointer before the call.
    pub cfa: Option<u64>,
    /// The module whose code it runs.
    pub module: Option<LoadedModule>,
}

impl Activation {
    /// The address to look up in debug information: inside the call instruction, which may be the
    /// last of its function, line or scope.
    pub fn lookup_pc(&self) -> u64 {
        if self.pc_is_exact || self.kind == ActivationKind::Signal {
            self.pc
        } else {
            self.pc.wrapping_sub(1)
        }
    }
}

/// Why there are no more frames.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndOfStack {
    /// The first frame of the thread or of the program.
    #[error("outermost frame")]
    Outermost,
    /// As many frames as were asked for; there may be more.
    #[error("(More stack frames follow...)")]
    Limit,
    /// The caller's stack pointer would lie below this frame's.
    #[error("previous frame inner to this frame (corrupt stack?)")]
    Inner,
    /// The caller would be this frame again.
    #[error("previous frame identical to this frame (corrupt stack?)")]
    Identical,
    /// Neither call frame information nor a guess leads to a caller.
    #[error("cannot find the caller of the code at {pc:#x} (corrupt stack?)")]
    NoCaller { pc: u64 },
    /// The stack itself cannot be read.
    #[error("Cannot access memory at address {:#x}", .0.address)]
    Unreadable(Unreadable),
    /// The call frame information is damaged.
    #[error("damaged call frame information: {0}")]
    Damaged(String),
}

impl EndOfStack {
    /// gdb's line under a backtrace that ended before it should; `None` for a natural end.
    pub fn message(&self) -> Option<String> {
        match self {
            EndOfStack::Outermost => None,
            EndOfStack::Limit => Some(self.to_string()),
            _ => Some(format!("Backtrace stopped: {self}")),
        }
    }
}

/// The frames of one thread as far as they have been walked.
#[derive(Clone)]
pub struct Stack {
    /// Innermost first; never empty.
    pub activations: Vec<Activation>,
    /// Why the walk ended.
    pub end: EndOfStack,
}

impl Stack {
    /// Walks the stack of a thread with these registers, `limit` frames at most.
    pub fn walk(space: &dyn AddressSpace, registers: &Registers, limit: usize) -> Stack {
        let pc = registers.pc().unwrap_or(0);
        let mut innermost = Activation {
            registers: registers.clone(),
            pc,
            pc_is_exact: true,
            kind: ActivationKind::Normal,
            cfa: None,
            module: space.module_at(pc),
        };
        innermost.cfa = frame_address(space, &innermost);
        let mut stack = Stack {
            activations: vec![innermost],
            end: EndOfStack::Limit,
        };
        stack.walk_on(space, limit);
        stack
    }

    /// Walks on from where the last walk ended at its limit, until there are `limit` frames.
    pub fn walk_on(&mut self, space: &dyn AddressSpace, limit: usize) {
        if self.end != EndOfStack::Limit {
            return;
        }
        let limit = limit.min(MOST_ACTIVATIONS);
        while self.activations.len() < limit {
            let is_innermost = self.activations.len() == 1;
            let Some(inner) = self.activations.last_mut() else {
                return;
            };
            match caller_of(space, inner, is_innermost) {
                Ok(caller) => self.activations.push(caller),
                Err(end) => {
                    self.end = end;
                    return;
                }
            }
        }
    }
}

/// The frame address by call frame information alone.
fn frame_address(space: &dyn AddressSpace, activation: &Activation) -> Option<u64> {
    let loaded = activation.module.as_ref()?;
    let row = loaded.row(activation.lookup_pc()).ok()??;
    canonical_frame_address(loaded, &row, &activation.registers, space.memory()).ok()
}

/// One step outwards. Completes `inner` (its frame address, its kind) on the way.
fn caller_of(
    space: &dyn AddressSpace,
    inner: &mut Activation,
    is_innermost: bool,
) -> Result<Activation, EndOfStack> {
    let interrupted = match inner.kind {
        ActivationKind::Called => registers_before_call(space, inner),
        _ => None,
    };
    let (registers, cfa) = match interrupted {
        Some(registers) => {
            let stack = registers.sp().unwrap_or(0);
            (registers, stack)
        }
        None => restored(space, inner, is_innermost)?,
    };
    inner.cfa = Some(cfa);
    let pc = match registers.pc() {
        None | Some(0) => return Err(EndOfStack::Outermost),
        Some(pc) => pc,
    };
    let by_signal = inner.kind != ActivationKind::Normal;
    let mut caller = Activation {
        pc,
        pc_is_exact: by_signal,
        kind: ActivationKind::Normal,
        cfa: None,
        module: space.module_at(if by_signal { pc } else { pc.wrapping_sub(1) }),
        registers,
    };
    if is_signal_return(space, &mut caller) {
        caller.kind = ActivationKind::Signal;
    }
    if registers_before_call(space, &caller).is_some() {
        caller.kind = ActivationKind::Called;
        caller.cfa = caller.registers.sp();
        return Ok(caller);
    }
    if caller.module.is_none() && !by_signal && caller.kind != ActivationKind::Signal {
        caller.module = space.module_at(pc);
    }
    caller.cfa = frame_address(space, &caller);
    check_progress(inner, &caller)?;
    Ok(caller)
}

/// Where the frame is the return of a function that a debugger called: the registers from before that.
fn registers_before_call(space: &dyn AddressSpace, frame: &Activation) -> Option<Registers> {
    space.before_call(frame.pc, frame.registers.sp()?)
}

/// Whether the frame is the kernel's signal frame: its pc is the first instruction of the
/// trampoline, so the row is looked up at the pc itself.
fn is_signal_return(space: &dyn AddressSpace, caller: &mut Activation) -> bool {
    let Some(loaded) = space.module_at(caller.pc) else {
        return false;
    };
    let is_signal = matches!(loaded.row(caller.pc), Ok(Some(row)) if row.is_signal_frame);
    if is_signal {
        caller.module = Some(loaded);
    }
    is_signal
}

/// A stack grows downwards, so a caller's frame lies above; only a signal handler may run on
/// another stack.
fn check_progress(inner: &Activation, caller: &Activation) -> Result<(), EndOfStack> {
    if inner.kind != ActivationKind::Normal || caller.kind != ActivationKind::Normal {
        let same = inner.pc == caller.pc && inner.registers.sp() == caller.registers.sp();
        return if same {
            Err(EndOfStack::Identical)
        } else {
            Ok(())
        };
    }
    match (inner.registers.sp(), caller.registers.sp()) {
        (Some(below), Some(above)) if above == below && inner.pc == caller.pc => {
            Err(EndOfStack::Identical)
        }
        (Some(below), Some(above)) if above <= below => Err(EndOfStack::Inner),
        _ => Ok(()),
    }
}

fn restored(
    space: &dyn AddressSpace,
    inner: &mut Activation,
    is_innermost: bool,
) -> Result<(Registers, u64), EndOfStack> {
    let mut failure = None;
    if let Some(loaded) = &inner.module {
        match loaded.row(inner.lookup_pc()) {
            Ok(Some(row)) => {
                if row.is_signal_frame {
                    inner.kind = ActivationKind::Signal;
                }
                match restore(loaded, &row, &inner.registers, space.memory()) {
                    Ok(restored) => return Ok((restored.registers, restored.cfa)),
                    Err(absence) => failure = Some(absence),
                }
            }
            Ok(None) => {}
            Err(error) => failure = Some(error.into()),
        }
    }
    use crate::location::Absence;
    match failure {
        Some(Absence::Unreadable(unreadable)) => return Err(EndOfStack::Unreadable(unreadable)),
        // Sound information that needs an unknown register: a guess would not know more.
        Some(Absence::NotSaved(Register::RIP | Register::RSP)) => {
            return Err(EndOfStack::NoCaller { pc: inner.pc });
        }
        _ => {}
    }
    let start = inner
        .module
        .as_ref()
        .and_then(|loaded| loaded.function_start(inner.lookup_pc()));
    match guess(space, &inner.registers, is_innermost, start) {
        Guess::Caller { registers, cfa } => Ok((registers, cfa)),
        Guess::Signal { registers, cfa } => {
            inner.kind = ActivationKind::Signal;
            Ok((registers, cfa))
        }
        Guess::Nothing => Err(match failure {
            Some(absence) => EndOfStack::Damaged(absence.to_string()),
            None if is_start(inner, start) => EndOfStack::Outermost,
            None => EndOfStack::NoCaller { pc: inner.pc },
        }),
    }
}

/// Whether the frame is where the program or a thread begins (`_start`, `clone`), which some libcs
/// do not describe.
fn is_start(inner: &Activation, start: Option<u64>) -> bool {
    let Some(loaded) = &inner.module else {
        return false;
    };
    let entry = loaded.module.entry_point().in_process(loaded.bias);
    if start == Some(entry) {
        return true;
    }
    let symbol = loaded.module.symbol_at(loaded.address(inner.lookup_pc()));
    matches!(
        symbol.map(|symbol| symbol.name),
        Some("_start" | "clone" | "__clone" | "clone3" | "__clone3" | "_dl_start_user")
    )
}
