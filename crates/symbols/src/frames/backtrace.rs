//! From the calls on a stack to the frames a user sees.

use super::frame::{Frame, FrameId, FrameKind};
use super::tail_calls;
use crate::registers::Registers;
use crate::unwind::{Activation, ActivationKind, AddressSpace, EndOfStack, Stack};
use crate::{Language, ModuleAddress};

/// Calls walked beyond the last frame that was asked for.
const LOOK_AHEAD: usize = 16;

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BacktraceOptions {
    /// Frames at most, inlined ones included.
    pub limit: usize,
    /// Go on after `main` to what the C library does before it.
    pub past_main: bool,
}

impl Default for BacktraceOptions {
    fn default() -> BacktraceOptions {
        BacktraceOptions {
            limit: usize::MAX,
            past_main: false,
        }
    }
}

/// The frames of a thread.
#[derive(Clone)]
pub struct Backtrace {
    /// The calls that the frames stand for.
    pub stack: Stack,
    /// Innermost first; never empty.
    pub frames: Vec<Frame>,
    /// Why there are no more.
    pub end: EndOfStack,
}

impl Backtrace {
    /// The frames of a thread that stopped with these registers.
    pub fn walk(
        space: &dyn AddressSpace,
        registers: &Registers,
        options: &BacktraceOptions,
    ) -> Backtrace {
        let mut stack = Stack::walk(space, registers, 1);
        let mut frames = Vec::new();
        let mut done = 0;
        let end = loop {
            let Some(activation) = stack.activations.get(done) else {
                break stack.end.clone();
            };
            let is_main = if is_hidden(activation) {
                stack.walk_on(space, done + 2);
                push_entrance(&stack.activations[done..], done, &mut frames);
                false
            } else {
                push_frames(activation, done, &mut frames)
            };
            done += 1;
            if frames.len() > options.limit {
                frames.truncate(options.limit.max(1));
                break EndOfStack::Limit;
            }
            if is_main && !options.past_main {
                // One more activation: the caller says what main's parameters were.
                stack.walk_on(space, done + 1);
                break EndOfStack::Outermost;
            }
            // A function that was jumped to is the end of its chain already.
            if stack.activations.len() <= done {
                stack.walk_on(space, done + 1);
                tail_calls::insert(space, &mut stack, done - 1);
            }
            if frames.len() == options.limit && stack.activations.len() > done {
                break EndOfStack::Limit;
            }
        };
        if frames.is_empty()
            && let Some(innermost) = stack.activations.first()
        {
            // Nothing is to be seen behind what is hidden: better that than nothing.
            push_frames(innermost, 0, &mut frames);
        }
        if end == EndOfStack::Limit {
            // Callers say what was passed to the frames that are shown, each with the help of its
            // own caller.
            let ahead = stack.activations.len() + LOOK_AHEAD;
            stack.walk_on(space, ahead);
        }
        Backtrace { stack, frames, end }
    }

    /// The frame of this level.
    pub fn frame(&self, level: usize) -> Option<&Frame> {
        self.frames.get(level)
    }

    /// The call that a frame stands for.
    pub fn activation(&self, frame: &Frame) -> Option<&Activation> {
        self.stack.activations.get(frame.activation)
    }

    /// gdb's line under a backtrace that ended before it should.
    pub fn message(&self) -> Option<String> {
        self.end.message()
    }
}

/// The function of the runtime that calls the program's signal handlers, in the place of the kernel.
const HANDLER_CALLER: &str = "call_handler";

/// Whether a call is of functions that are not the program's.
fn is_hidden(activation: &Activation) -> bool {
    activation
        .module
        .as_ref()
        .is_some_and(|loaded| loaded.hidden)
}

/// Of the calls within a hidden module only that is shown by which the program came in, if it stands for a function of
/// the C library, under that function's name. `calls` begins with the call in question.
fn push_entrance(calls: &[Activation], index: usize, frames: &mut Vec<Frame>) {
    let [activation, caller, ..] = calls else {
        return;
    };
    let Some(loaded) = activation.module.as_ref().filter(|_| !is_hidden(caller)) else {
        return;
    };
    let address = loaded.address(activation.lookup_pc());
    let described = loaded.module.frame_cache.described(&loaded.module, address);
    let function = described.functions.first();
    let name = function.and_then(|function| function.name.clone());
    let name = name.or_else(|| described.symbol.clone());
    if let Some(name) = name.filter(|name| is_name_of_c(name)) {
        let mut frame = bare(activation, index, frames.len(), Some(name));
        if frame.function.as_deref() == Some(HANDLER_CALLER) {
            frame.kind = FrameKind::Signal;
        }
        frames.push(frame);
    }
}

/// Names of our own functions have a path, or our prefix.
fn is_name_of_c(name: &str) -> bool {
    !name.contains("::") && !name.starts_with("wayfarer_")
}

/// Adds the frames of one activation, the innermost inlined function first. Says whether the
/// function that was called is the program's `main`.
fn push_frames(activation: &Activation, index: usize, frames: &mut Vec<Frame>) -> bool {
    if activation.kind == ActivationKind::Called {
        let mut frame = bare(activation, index, frames.len(), None);
        frame.kind = FrameKind::Called;
        frame.module = None;
        frames.push(frame);
        return false;
    }
    let Some(loaded) = &activation.module else {
        frames.push(bare(activation, index, frames.len(), None));
        return false;
    };
    let address = loaded.address(activation.lookup_pc());
    let described = loaded.module.frame_cache.described(&loaded.module, address);
    if activation.kind == ActivationKind::Signal {
        let function = described.functions.first();
        let name = function.and_then(|function| function.name.clone());
        let name = name.or_else(|| described.symbol.clone());
        let mut frame = bare(activation, index, frames.len(), name);
        frame.kind = FrameKind::Signal;
        frames.push(frame);
        return false;
    }
    let start = described
        .start
        .map(|start| start.in_process(loaded.bias))
        .or_else(|| loaded.function_start(activation.lookup_pc()))
        .unwrap_or(activation.pc);
    let mut position = None;
    let mut is_inside_line = true;
    if let Some((line_start, line)) = &described.line {
        is_inside_line = *line_start != Some(loaded.address(activation.pc));
        position = Some(line.clone());
    }
    let frame_address = frame_address(activation);
    for (depth, function) in described.functions.iter().enumerate().rev() {
        frames.push(Frame {
            level: frames.len(),
            activation: index,
            kind: function.kind,
            pc: activation.pc,
            lookup_address: address,
            function: function.name.clone(),
            scope: Some(function.scope),
            position: position.take(),
            is_inside_line,
            language: function.language,
            module: Some(loaded.clone()),
            id: FrameId {
                frame_address,
                function_start: start,
                inline_depth: depth as u32,
            },
        });
        position.clone_from(&function.call);
        // gdb shows no address for the caller of an inlined function.
        is_inside_line = false;
    }
    if described.functions.is_empty() {
        let name = described.symbol.clone();
        let mut frame = bare(activation, index, frames.len(), name);
        // Code without a described function may still have lines: assembler.
        frame.position = position;
        frame.is_inside_line = is_inside_line;
        frame.id.function_start = start;
        frames.push(frame);
    }
    described.is_main
}

/// A frame without debug information.
fn bare(activation: &Activation, index: usize, level: usize, name: Option<String>) -> Frame {
    let lookup = activation.lookup_pc();
    let address = match &activation.module {
        Some(loaded) => loaded.address(lookup),
        None => ModuleAddress(lookup),
    };
    Frame {
        level,
        activation: index,
        kind: FrameKind::Normal,
        pc: activation.pc,
        lookup_address: address,
        function: name,
        scope: None,
        position: None,
        is_inside_line: true,
        language: Language::default(),
        module: activation.module.clone(),
        id: FrameId {
            frame_address: frame_address(activation),
            function_start: activation.pc,
            inline_depth: 0,
        },
    }
}

fn frame_address(activation: &Activation) -> u64 {
    activation
        .cfa
        .or(activation.registers.sp())
        .unwrap_or_default()
}
