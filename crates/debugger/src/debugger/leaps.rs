//! Leaps: exceptions, panics and `longjmp` leave frames without returning from them.
//!
//! A step that waits for a return would wait for ever. So each one also has breakpoints of our own where a leap goes
//! off: at `longjmp` itself, whose buffer says where it leads, and at the last instructions of the unwinder's functions,
//! which have loaded the stack pointer and are about to jump. A leap into the stepped frame or out of it becomes the
//! next place to run to; one that stays inside a called function is none of the step's business.

use std::sync::Arc;

use iced_x86::{Code, Decoder, DecoderOptions, Register};
use wayfarer_backend::{
    BreakpointId, BreakpointPlace, InsertBreakpointRequest, Location, StopScope,
};
use wayfarer_symbols::unwind::AddressSpace;
use wayfarer_symbols::{Module, ModuleAddress, SymbolKind};

use super::Debugger;
use crate::breakpoint::Purpose;
use crate::session::Space;
use crate::step::{Action, StepKind, StepPlan};
use crate::view::StopReason;
use crate::{Result, ThreadId};

/// Functions of the unwinder that end in a landing pad.
const UNWINDERS: [&str; 4] = [
    "_Unwind_RaiseException",
    "_Unwind_Resume",
    "_Unwind_Resume_or_Rethrow",
    "_Unwind_ForcedUnwind",
];
/// All of `longjmp`; the first argument is the buffer.
const JUMPERS: [&str; 4] = ["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];
/// Where glibc keeps stack pointer and program counter in a `jmp_buf`, and their guard in the thread's block.
const BUFFER_STACK: u64 = 6 * 8;
const BUFFER_COUNTER: u64 = 7 * 8;
const POINTER_GUARD: u64 = 0x30;
/// No function of the unwinder is longer.
const LONGEST_UNWINDER: usize = 1 << 13;

/// A place where a leap goes off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leap {
    address: ModuleAddress,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The place to go to is on top of the stack.
    Unwind,
    /// It is in the buffer that the first argument points to.
    Jump,
}

/// Where a leap leads.
struct Landing {
    counter: u64,
    stack: u64,
}

impl Debugger {
    /// Watches for leaps of a stepping thread; our own breakpoint's id. None where the process has no such code.
    pub(super) fn watch_leaps(&mut self, id: ThreadId) -> Option<BreakpointId> {
        let (process, thread) = self.thread(id).ok()?;
        let (process, thread, space) = (process.key, thread.key, process.space.clone());
        let mut places = Vec::new();
        for mapped in space.modules.iter() {
            for leap in self.leaps_of(&mapped.loaded.module).iter() {
                let address = leap.address.in_process(mapped.loaded.bias);
                places.push(BreakpointPlace {
                    at: Location {
                        process: process.id,
                        address,
                    },
                    predicate: None,
                });
            }
        }
        if places.is_empty() {
            return None;
        }
        let internal = BreakpointId(self.next_internal);
        // A step without them is better than none.
        self.backend(process.agent)
            .ok()?
            .insert_breakpoint(InsertBreakpointRequest {
                threads: vec![thread.id],
                scope: Some(StopScope::Thread),
                ..InsertBreakpointRequest::new(internal, places)
            })
            .ok()?;
        self.next_internal += 1;
        let purpose = Purpose::Leap(thread);
        self.internal.insert(internal, (process.agent, purpose));
        Some(internal)
    }

    /// The places of a module, looked for once.
    fn leaps_of(&mut self, module: &Arc<Module>) -> Arc<Vec<Leap>> {
        let key = Arc::as_ptr(module) as usize;
        let (_, leaps) = self
            .leaps
            .entry(key)
            .or_insert_with(|| (module.clone(), Arc::new(find(module))));
        leaps.clone()
    }

    /// A stepping thread is about to leap: if that concerns the step, it goes on from the landing.
    pub(super) fn judge_leap(&mut self, id: ThreadId) -> Result<Option<StopReason>> {
        let thread = self.thread(id)?.1.key;
        let Some(mut plan) = self.steps.get(&thread).cloned() else {
            return Ok(None);
        };
        let Some(landing) = self.landing_of(id) else {
            return Ok(None);
        };
        // A step by lines looks at each landing; what runs to an address is only interested in those that concern it.
        let concerned = concerns(&plan, &landing);
        let by_lines = matches!(plan.kind, StepKind::Into | StepKind::Over | StepKind::Until);
        if concerned || by_lines {
            plan.action = Action::To {
                addresses: vec![landing.counter],
                stack_above: None,
            };
            plan.leapt = concerned;
            self.steps.insert(thread, plan);
        }
        Ok(None)
    }

    fn landing_of(&mut self, id: ThreadId) -> Option<Landing> {
        let (process, thread) = self.thread(id).ok()?;
        let (space, general) = (process.space.clone(), thread.general?);
        let loaded = space.module_at(general.rip)?;
        let here = loaded.address(general.rip);
        let leaps = self.leaps_of(&loaded.module);
        let leap = leaps.iter().find(|leap| leap.address == here)?;
        match leap.kind {
            Kind::Unwind => Some(Landing {
                counter: word(&space, general.rsp)?,
                stack: general.rsp.wrapping_add(8),
            }),
            Kind::Jump => {
                let guard = word(&space, general.fs_base.wrapping_add(POINTER_GUARD))?;
                let plain = |at: u64| {
                    let mangled = word(&space, general.rdi.wrapping_add(at))?;
                    Some(mangled.rotate_right(17) ^ guard)
                };
                Some(Landing {
                    counter: plain(BUFFER_COUNTER)?,
                    stack: plain(BUFFER_STACK)?,
                })
            }
        }
    }
}

/// Whether a leap ends in the stepped frame or outside of it.
fn concerns(plan: &StepPlan, landing: &Landing) -> bool {
    plan.stack.is_some_and(|stack| landing.stack >= stack)
}

fn word(space: &Space, address: u64) -> Option<u64> {
    space.memory().read_u64(address).ok()
}

/// All places of a module.
fn find(module: &Module) -> Vec<Leap> {
    let defined = |name: &str| {
        module
            .symbols_named(name)
            .into_iter()
            .find(|symbol| symbol.kind == SymbolKind::Function && symbol.address.0 != 0)
    };
    let mut leaps: Vec<Leap> = Vec::new();
    for symbol in UNWINDERS.iter().filter_map(|name| defined(name)) {
        let length = (symbol.size as usize).min(LONGEST_UNWINDER);
        if let Some(code) = module.image_bytes(symbol.address, length) {
            leaps.extend(departures(code, symbol.address));
        }
    }
    for symbol in JUMPERS.iter().filter_map(|name| defined(name)) {
        let leap = Leap {
            address: symbol.address,
            kind: Kind::Jump,
        };
        if !leaps.contains(&leap) {
            leaps.push(leap);
        }
    }
    leaps
}

/// Behind each `mov %rcx,%rsp`: compilers make no other end for `__builtin_eh_return`.
fn departures(code: &[u8], start: ModuleAddress) -> Vec<Leap> {
    let decoder = Decoder::with_ip(64, code, start.0, DecoderOptions::NONE);
    decoder
        .into_iter()
        .filter(|instruction| {
            matches!(instruction.code(), Code::Mov_rm64_r64 | Code::Mov_r64_rm64)
                && instruction.op0_register() == Register::RSP
                && instruction.op1_register() == Register::RCX
        })
        .map(|instruction| Leap {
            address: ModuleAddress(instruction.next_ip()),
            kind: Kind::Unwind,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_unwinder_is_found() {
        // nop; mov %rcx,%rsp; pop %rcx; jmp *%rcx
        let code = [0x90, 0x48, 0x89, 0xcc, 0x59, 0xff, 0xe1];
        let found = departures(&code, ModuleAddress(0x1000));
        assert_eq!(
            found,
            [Leap {
                address: ModuleAddress(0x1004),
                kind: Kind::Unwind
            }]
        );
        assert!(departures(&[0x48, 0x89, 0xe1], ModuleAddress(0)).is_empty());
    }
}
