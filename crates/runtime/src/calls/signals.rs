//! Calls about signals: actions, masks, sets and the stack of handlers.

use crate::calls::check;
use crate::calls::outputs::Before;
use crate::calls::record::{Made, call_kernel, perform, write_down};
use crate::calls::replay::{compare, expect};
use crate::kernel::action::NEVER_TAKEN;
use crate::log::reader;
use crate::memory::user;
use crate::signals::actions;
use crate::state::Thread;
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Arguments, Span};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::record;

/// rt_sigaction, recorded.
pub fn action(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, Number::RT_SIGACTION, &made.arguments);
    let result = actions::action(thread, &made.arguments, None);
    if result == 0
        && let Some(old) = user::read::<[u8; 32]>(made.arguments.address(2))
    {
        thread.emit_with(made.head(0), &old);
    } else {
        thread.emit_call(Number::RT_SIGACTION, made.check, result as i64);
    }
    result
}

/// rt_sigaction in a replay, which keeps the program's actions as the recording did.
pub fn replay_action(thread: &mut Thread, made: &mut Made) -> isize {
    let check = check::arguments(thread, made.call, Number::RT_SIGACTION, &made.arguments);
    let next = expect(thread, made, record::SYSCALL);
    compare(thread, made, check, &next);
    reader::advance(thread, next.length);
    thread.count_event();
    actions::action(thread, &made.arguments, Some(next.payload));
    next.value as isize
}

/// rt_sigprocmask: what must get through is not blocked.
pub fn mask(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, Number::RT_SIGPROCMASK, &made.arguments);
    let mut arguments = *made.arguments;
    let mut stripped = 0u64;
    let mut asked = None;
    let wanted = made.arguments.address(1);
    if arguments[3] == 8
        && let Some(mask) = actions::strip_mask(wanted)
    {
        asked = user::read::<u64>(wanted);
        stripped = mask;
        arguments[1] = (&raw mut stripped) as usize;
    }
    // SAFETY: the program's own call, with a mask on this stack.
    let result = unsafe { call_kernel(Number::RT_SIGPROCMASK, &arguments) };
    core::hint::black_box(&stripped);
    if result == 0 {
        if thread.signals.believed_blocked != 0
            && let Some(old) = user::read::<u64>(made.arguments.address(2))
        {
            let old = old | thread.signals.believed_blocked;
            // SAFETY: where the call has put the old mask.
            unsafe { user::write(made.arguments.address(2), old) };
        }
        if let Some(mask) = asked {
            actions::note_mask(thread, arguments[0], mask);
        }
    }
    write_down(thread, made, result, Before::default(), &[]);
    result
}

/// Calls that take signals of a set: never ours.
pub fn signal_set(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let index = if made.number == Number::RT_SIGTIMEDWAIT {
        0
    } else {
        1
    };
    let mut arguments = made.arguments;
    let mut stripped = 0u64;
    if let Some(set) = user::read::<u64>(arguments.address(index)) {
        stripped = set & !NEVER_TAKEN;
        arguments = arguments.with_address(index, Address::new((&raw mut stripped) as usize));
    }
    let result = perform(thread, made, &arguments);
    core::hint::black_box(&stripped);
    write_down(thread, made, result, Before::default(), &[]);
    result
}

/// Calls that wait with a mask of their own.
pub fn masked_wait(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let mut arguments = made.arguments;
    let mut stripped = 0u64;
    let mut pair = Span::default();
    let index = match made.number {
        Number::RT_SIGSUSPEND => 0,
        Number::PPOLL => 3,
        Number::EPOLL_PWAIT | Number::EPOLL_PWAIT2 => 4,
        _ => 5,
    };
    let pointer = arguments.address(index);
    let ours = Address::new((&raw mut stripped) as usize);
    if made.number == Number::PSELECT6 {
        if let Some(both) = user::read::<Span>(pointer)
            && let Some(mask) = actions::strip_mask(both.start)
        {
            stripped = mask;
            thread.signals.let_in = !mask;
            pair = Span {
                start: ours,
                length: both.length,
            };
            arguments = arguments.with_address(5, Address::new((&raw mut pair) as usize));
        }
    } else if let Some(mask) = actions::strip_mask(pointer) {
        stripped = mask;
        thread.signals.let_in = !mask;
        arguments = arguments.with_address(index, ours);
    }
    let result = perform(thread, made, &arguments);
    core::hint::black_box((&stripped, &pair));
    if thread.arrivals.pending.load(Ordering::Relaxed) == 0 {
        thread.signals.let_in = 0;
    }
    write_down(thread, made, result, Before::default(), &[]);
    result
}

pub fn alternate_stack(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, Number::SIGALTSTACK, &made.arguments);
    // SAFETY: the program's own call.
    let result = unsafe { call_kernel(Number::SIGALTSTACK, &made.arguments) };
    note_alternate_stack(thread, &made.arguments, result);
    write_down(thread, made, result, Before::default(), &[]);
    result
}

/// Both modes: handlers that we call ourselves may want the alternate stack.
pub fn note_alternate_stack(thread: &mut Thread, a: &Arguments, result: isize) {
    if result == 0
        && let Some(stack) = user::read::<[usize; 3]>(a.address(0))
    {
        const DISABLE: usize = 2;
        let enabled = stack[1] & DISABLE == 0;
        thread.signals.alternate_stack = stack[0];
        thread.signals.alternate_size = if enabled { stack[2] } else { 0 };
    }
}
