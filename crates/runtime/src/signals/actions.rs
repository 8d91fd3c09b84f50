//! What the program wants done with its signals: actions and masks, and the kernel's side of them.

use crate::kernel::action::{OWN, SIGSYS, UNBLOCKABLE, is_fault, is_guarded, set_kernel_action};
use crate::memory::user;
use crate::signals::arrivals::signal_arrived;
use crate::signals::faults;
use crate::state::process::Action;
use crate::state::{Thread, header};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Arguments};
use wayfarer_entrance::signal_frame::{
    SA_NODEFER, SA_RESETHAND, SA_RESTART, SA_RESTORER, SA_SIGINFO, SigAction, bit,
};
use wayfarer_entrance::{dispatch, raw};
use wayfarer_runtime_abi::layout::{MODE_RECORD, MODE_REPLAY, flags};

/// The kernel's side of an action that the program asked for.
pub fn apply(thread: &Thread, signal: u32, action: &Action) {
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
pub fn action(thread: &mut Thread, arguments: &Arguments, replayed_old: Option<&[u8]>) -> isize {
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
    let mut new = None;
    if arguments[1] != 0 {
        new = user::read::<[u64; 4]>(arguments.address(1));
        if new.is_none() {
            return -14;
        }
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
    if let Some([handler, flags, restorer, mask]) = new {
        let new = Action {
            handler: handler as usize,
            flags,
            restorer: restorer as usize,
            mask,
        };
        entry.set(new);
        if !has_own_handler(signal) {
            apply(thread, signal, &new);
        }
    }
    let words = [old.handler as u64, old.flags, old.restorer as u64, old.mask];
    // SAFETY: where the call wants the old action.
    if arguments[2] != 0 && !unsafe { user::write(arguments.address(2), words) } {
        return -14;
    }
    0
}

/// Whether the kernel has a handler of ours for a signal, whatever the program wants.
fn has_own_handler(signal: u32) -> bool {
    matches!(signal, SIGSYS | OWN)
}

/// A mask of the program without the signals that must get through.
pub fn strip_mask(pointer: Address) -> Option<u64> {
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
