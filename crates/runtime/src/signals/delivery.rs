//! Running the program's handlers: at event boundaries while recording, at the same places in a replay.

use crate::kernel::action::UNBLOCKABLE;
use crate::log::reader;
use crate::parallel::events;
use crate::parallel::library;
use crate::session::diverge;
use crate::session::held;
use crate::signals::actions::apply;
use crate::signals::blocked;
use crate::signals::context;
use crate::signals::handler_call::call_handler;
use crate::signals::queue::pop_outside;
use crate::signals::queue::wanted;
use crate::state::thread::Waiting;
use crate::state::{THREAD_WINDOW, Thread};
use wayfarer_calls::Number;
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::signal_frame::{
    SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SIG_BLOCK, SIG_SETMASK, UContext, bit,
};
use wayfarer_entrance::{raw, vector};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{MODE_RECORD, divergence};
use wayfarer_runtime_abi::record::{self, Head};

/// Bytes of a siginfo that can carry something.
const INFORMATION: usize = 48;

/// Recording: runs the handlers of all waiting signals, here.
#[cold]
#[inline(never)]
pub fn deliver(thread: &mut Thread, frame: &mut Frame, place: u8) {
    // In parallel mode nothing is held while the program's own code runs.
    let held = thread.sync != crate::state::order::OFF && thread.serial.holds_token;
    if held {
        crate::serial::token::release(thread);
    }
    thread.arrivals.pending.store(0, Ordering::Release);
    let let_in = blocked::take_let_in(thread);
    // What comes meanwhile waits for the next event: a fast timer must not keep the program from going on.
    let last = thread.arrivals.tail.load(Ordering::Acquire);
    while (last.wrapping_sub(thread.arrivals.head.load(Ordering::Relaxed)) as i32) > 0
        && let Some(mut waiting) = pop_outside(thread)
    {
        if !wanted(thread, waiting.number)
            || blocked::went_back(&waiting, blocked::mask_now(thread) & !let_in)
        {
            continue;
        }
        write_down(thread, &waiting, place);
        let mut context = context::from_frame(frame);
        run(
            thread,
            waiting.number,
            &mut waiting.information,
            &mut context,
            false,
        );
        context::into_frame(&context, frame);
    }
    if held {
        crate::serial::token::acquire(thread);
    }
}

pub fn write_down(thread: &mut Thread, waiting: &Waiting, place: u8) {
    // SAFETY: the first bytes of the siginfo.
    let payload = unsafe {
        core::slice::from_raw_parts(waiting.information.as_ptr().cast::<u8>(), INFORMATION)
    };
    let place = match place {
        record::place::EXIT => record::place::exit(thread.signals.handlers),
        place => place,
    };
    let value = match place {
        record::place::ENTRY if thread.sync != crate::state::order::OFF => {
            thread.parallel.skipped as i64
        }
        record::place::ONCE => thread.library.awaits_once as i64,
        record::place::YIELD => thread.parallel.yields.since(thread.log.events),
        _ => 0,
    };
    let number = u64::from(waiting.number);
    thread.emit_with(Head::new(record::SIGNAL, number, place, value), payload);
    if place != record::place::FORCED {
        // Parallel mode: after whatever another thread did to send it.
        thread.order_event();
    }
}

/// Replay: the next record is a `SIGNAL`; runs its handler here.
pub fn replay_one(thread: &mut Thread, context: &mut UContext, inside_handler: bool) {
    held::before_event(thread);
    let Some(next) = reader::peek(thread) else {
        return;
    };
    let mut information = [0u64; 16];
    // SAFETY: both are at least that long.
    unsafe {
        core::ptr::copy_nonoverlapping(
            next.payload.as_ptr(),
            information.as_mut_ptr().cast::<u8>(),
            next.payload.len().min(128),
        );
    }
    reader::advance(thread, next.length);
    thread.count_event();
    if thread.sync != crate::state::order::OFF && next.check != record::place::FORCED {
        events::begin_event(thread);
        events::end_event(thread);
    }
    let signal = next.number as u32;
    if signal == 0 || signal > 64 || !wanted(thread, signal) {
        diverge::report(thread, divergence::OTHER_CALL, -1, 0, &[0; 6], Some(&next));
    }
    run(thread, signal, &mut information, context, inside_handler);
}

/// Replays a handler where no call has registers to show.
#[cold]
#[inline(never)]
pub fn replay_nowhere(thread: &mut Thread) {
    // SAFETY: a context of zeros.
    let empty: Frame = unsafe { core::mem::zeroed() };
    replay_one(thread, &mut context::from_frame(&empty), false);
}

#[cold]
#[inline(never)]
pub fn replay_at(thread: &mut Thread, frame: &mut Frame) {
    let mut context = context::from_frame(frame);
    replay_one(thread, &mut context, false);
    context::into_frame(&context, frame);
}

/// Calls the program's handler as the kernel would.
pub fn run(
    thread: &mut Thread,
    signal: u32,
    information: &mut [u64; 16],
    context: &mut UContext,
    inside_handler: bool,
) {
    let process = thread.process();
    let entry = process.signals.action(signal);
    let action = entry.get();
    if action.flags & SA_RESETHAND != 0 {
        entry.handler.set(0);
        apply(thread, signal, &entry.get());
    }
    let mut blocked = action.mask;
    if action.flags & SA_NODEFER == 0 {
        blocked |= bit(signal as i32);
    }
    blocked &= !UNBLOCKABLE;
    let recording = thread.mode == MODE_RECORD;
    if recording {
        let mut before = 0u64;
        // SAFETY: masks live on this stack. Within our own SIGSYS handler everything is blocked, so
        // there the interrupted mask is the one to start from.
        unsafe {
            if inside_handler {
                before = context.mask;
                let now = before | blocked;
                raw::syscall6(
                    Number::RT_SIGPROCMASK,
                    SIG_SETMASK,
                    (&raw const now) as usize,
                    0,
                    8,
                    0,
                    0,
                );
            } else {
                raw::syscall6(
                    Number::RT_SIGPROCMASK,
                    SIG_BLOCK,
                    (&raw const blocked) as usize,
                    (&raw mut before) as usize,
                    8,
                    0,
                    0,
                );
            }
        }
        context.mask = blocked::behind_hold(thread, before);
        if thread.signals.holds_signals {
            thread.signals.held_mask |= blocked;
        }
    }
    let mut visit = Visit {
        handler: action.handler,
        signal: signal as usize,
        information: information.as_mut_ptr() as usize,
        context: core::ptr::from_mut(context),
        stack: stack_for(thread, action.flags),
    };
    thread.signals.handlers = thread.signals.handlers.saturating_add(1);
    // It may wait for anything, and may never come back.
    let depth = library::suspend(thread);
    let waits = core::mem::take(&mut thread.library.waits);
    // SAFETY: the handler is the program's own, called with the arguments that it expects. It may use
    // every vector register, which the interrupted code still needs.
    unsafe { vector::preserving(visit_handler, (&raw mut visit).cast()) };
    thread.signals.handlers = thread.signals.handlers.saturating_sub(1);
    thread.library.waits = waits;
    library::resume(thread, depth);
    if recording {
        let after = context.mask & !UNBLOCKABLE;
        if !thread.signals.holds_signals && !inside_handler {
            // SAFETY: as above.
            unsafe {
                raw::syscall6(
                    Number::RT_SIGPROCMASK,
                    SIG_SETMASK,
                    (&raw const after) as usize,
                    0,
                    8,
                    0,
                    0,
                )
            };
        }
        // Full before, or filled just now: this is the mask to go back to.
        if thread.signals.holds_signals {
            thread.signals.held_mask = after;
            if inside_handler {
                context.mask |= !UNBLOCKABLE;
            }
        }
    }
}

/// A call of the program's handler.
#[repr(C)]
struct Visit {
    handler: usize,
    signal: usize,
    information: usize,
    context: *mut UContext,
    stack: usize,
}

/// # Safety
/// `visit` must point to a [`Visit`], and `vector_state` to the saved state.
unsafe extern "C" fn visit_handler(visit: *mut u8, vector_state: *mut u8) {
    // SAFETY: `run` passes its own Visit, and `preserving` the saved state.
    unsafe {
        let visit = &*visit.cast::<Visit>();
        if (*visit.context).registers.vector_state == 0 {
            (*visit.context).registers.vector_state = vector_state as usize;
        }
        call_handler(
            visit.handler,
            visit.signal,
            visit.information,
            visit.context as usize,
            visit.stack,
        );
    }
}

/// Where a handler begins: the top of the alternate stack if it wants that and is not on it already, else
/// where the program's own stack ended when we took ours; 0: where we are, which is the program's stack.
fn stack_for(thread: &Thread, flags: u64) -> usize {
    let marker = 0u8;
    let here = (&raw const marker) as usize;
    let window = core::ptr::from_ref(thread) as usize;
    let below = if here.wrapping_sub(window) < THREAD_WINDOW {
        thread.own_stack.program
    } else {
        0
    };
    let base = thread.signals.alternate_stack;
    let now = if below == 0 { here } else { below };
    let wants_alternate = flags & SA_ONSTACK != 0 && thread.signals.alternate_size != 0;
    if wants_alternate && now.wrapping_sub(base) >= thread.signals.alternate_size {
        return (base + thread.signals.alternate_size) & !15;
    }
    below & !15
}
