//! Signals: queued when they arrive, delivered at event boundaries, replayed at the same places.
//!
//! The kernel never calls a handler of the program for an asynchronous signal. It calls ours, which
//! puts the signal into the thread's queue and makes a waiting call return. The dispatcher then
//! runs the program's handler before or after an event, and the log says where. Reads of clocks
//! count as events here, so that a loop that polls the time gets its signals at once. A thread
//! without events gets them by force after 10 ms of processor time, and a note says so. Faults
//! (SIGSEGV and its like) are deterministic and go straight to the program's handler, in both
//! modes.

pub mod blocked;
pub mod context;
pub mod faults;
pub mod force;
pub mod handler_call;
pub mod queue;

use crate::kernel::action::{OWN, SIGSYS, UNBLOCKABLE, is_fault, is_guarded, set_kernel_action};
use crate::log::reader;
use crate::memory::user;
use crate::parallel::events;
use crate::parallel::library;
use crate::serial::timers;
use crate::session::diverge;
use crate::signals::handler_call::call_handler;
use crate::signals::queue::{hold_when_full, pop_outside, stash};
use crate::state::process::Action;
use crate::state::thread::Waiting;
use crate::state::{THREAD_WINDOW, Thread, current, header};
use wayfarer_calls::Number;
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::signal_frame::{
    SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SA_RESTART, SA_RESTORER, SA_SIGINFO, SIG_BLOCK,
    SIG_SETMASK, SigAction, UContext, bit,
};
use wayfarer_entrance::{dispatch, raw, vector};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{MODE_RECORD, MODE_REPLAY, divergence, flags};
use wayfarer_runtime_abi::record::{self, Head};

/// Bytes of a siginfo that can carry something.
const INFORMATION: usize = 48;

/// The kernel's side of an action that the program asked for.
fn apply(thread: &Thread, signal: u32, action: &Action) {
    let strip = if header().flags & flags::NO_MASK_STRIP == 0 {
        UNBLOCKABLE
    } else {
        0
    };
    let caught = action.handler > 1;
    let restorer = if header().flags & flags::NO_RESTORER == 0 || !caught {
        dispatch::restorer()
    } else {
        action.restorer
    };
    let mut wanted = SigAction {
        handler: action.handler,
        flags: action.flags | SA_RESTORER,
        restorer,
        mask: action.mask & !strip,
    };
    if is_fault(signal) && (caught || is_guarded(signal)) {
        wanted.handler = faults::fault_arrived as *const () as usize;
        wanted.flags |= SA_SIGINFO;
        wanted.flags &= !SA_RESETHAND;
        if is_guarded(signal) {
            wanted.flags |= SA_NODEFER;
        }
    } else if thread.mode == MODE_REPLAY {
        // Asynchronous signals of a replay come from the log.
        return;
    } else if caught {
        wanted.handler = signal_arrived as *const () as usize;
        wanted.flags =
            (action.flags & !(SA_RESTART | SA_RESETHAND | SA_NODEFER)) | SA_SIGINFO | SA_RESTORER;
        wanted.mask = !UNBLOCKABLE;
    }
    // SAFETY: the handlers obey the house rules.
    unsafe { set_kernel_action(signal, &wanted) };
}

/// rt_sigaction, both modes. `old` receives what the program had set before.
pub fn action(thread: &mut Thread, arguments: &[usize; 6], replayed_old: Option<&[u8]>) -> isize {
    let signal = arguments[0] as u32;
    if signal == 0 || signal > 64 || arguments[3] != 8 || matches!(signal, 9 | 19) {
        // SAFETY: the kernel judges bad arguments itself.
        return unsafe {
            raw::syscall6(
                Number::RT_SIGACTION,
                arguments[0],
                arguments[1],
                arguments[2],
                arguments[3],
                0,
                0,
            )
        };
    }
    let mut new = [0u64; 4];
    if arguments[1] != 0 && !user::copy_in((&raw mut new).cast(), arguments[1], size_of::<Action>())
    {
        return -14;
    }
    let process = thread.process();
    let entry = process.signals.action(signal);
    let known = process.signals.actions_known.get() & bit(signal as i32) != 0;
    if !known {
        if let Some(old) = replayed_old {
            if old.len() >= size_of::<Action>() {
                // SAFETY: length checked; any bits are an Action.
                entry.set(unsafe { old.as_ptr().cast::<Action>().read_unaligned() });
            }
        } else if thread.mode == MODE_RECORD && !is_guarded(signal) && !has_own_handler(signal) {
            // Inherited over exec: ignored or not.
            let mut inherited = entry.get();
            // SAFETY: on this stack, and as large as the kernel's struct.
            unsafe {
                raw::syscall6(
                    Number::RT_SIGACTION,
                    signal as usize,
                    0,
                    (&raw mut inherited) as usize,
                    8,
                    0,
                    0,
                );
            }
            entry.set(inherited);
        }
        process
            .signals
            .actions_known
            .set(process.signals.actions_known.get() | bit(signal as i32));
    }
    let old = entry.get();
    if arguments[1] != 0 {
        let new = Action {
            handler: new[0] as usize,
            flags: new[1],
            restorer: new[2] as usize,
            mask: new[3],
        };
        entry.set(new);
        if !has_own_handler(signal) {
            apply(thread, signal, &new);
        }
    }
    if arguments[2] != 0
        && !user::copy_out(arguments[2], (&raw const old).cast(), size_of::<Action>())
    {
        return -14;
    }
    0
}

/// Whether the kernel has a handler of ours for a signal, whatever the program wants.
fn has_own_handler(signal: u32) -> bool {
    matches!(signal, SIGSYS | OWN)
}

/// A mask of the program without the signals that must get through.
pub fn strip_mask(pointer: usize) -> Option<u64> {
    let mask = user::read::<u64>(pointer)?;
    if header().flags & flags::NO_MASK_STRIP != 0 {
        return Some(mask);
    }
    Some(mask & !UNBLOCKABLE)
}

/// Keeps in mind which of the unblockable signals the program believes to be blocked.
pub fn note_mask(thread: &mut Thread, how: usize, mask: u64) {
    let mask = mask & UNBLOCKABLE;
    match how {
        0 => thread.signals.believed_blocked |= mask,
        1 => thread.signals.believed_blocked &= !mask,
        _ => thread.signals.believed_blocked = mask,
    }
}

/// Our handler for asynchronous signals.
///
/// # Safety
/// Called by the kernel as a handler, with a siginfo and a ucontext.
pub unsafe extern "C" fn signal_arrived(
    signal: i32,
    information: *mut u64,
    context: *mut UContext,
) {
    let thread = current();
    if thread.is_null() {
        return;
    }
    // SAFETY: the kernel passes a siginfo and a ucontext; the thread is this one.
    unsafe {
        stash(&mut *thread, signal as u32, information);
        hold_when_full(&mut *thread, &mut *context);
        let rip = (*context).registers.rip;
        if let Some(instead) = raw::in_interruptible_window(rip) {
            (*context).registers.rip = instead;
        } else if (*thread).mode == MODE_RECORD {
            // Even in our own code: it may have taken its last look at the queue already.
            timers::arm_force(&mut *thread);
        }
    }
}

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

pub fn wanted(thread: &Thread, signal: u32) -> bool {
    thread.process().signals.action(signal).handler.get() > 1
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
