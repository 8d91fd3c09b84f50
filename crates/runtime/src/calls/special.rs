//! Control calls, whose request says what they write: ioctl, fcntl, prctl, semctl, futex.

use crate::calls::check;
use crate::calls::files;
use crate::calls::filter;
use crate::calls::outputs::Before;
use crate::calls::record::{ENOSYS, Made, call_kernel, perform, plain, write_down_as};
use crate::state::Thread;
use wayfarer_calls::{Call, Number, Out};
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::record;

const F_GETLK: usize = 5;
const F_GETOWN_EX: usize = 16;
const F_OFD_GETLK: usize = 36;

#[inline(never)]
pub fn record(thread: &mut Thread, made: &mut Made) -> isize {
    match made.number {
        Number::IOCTL => {
            let call = ioctl_call(made.call, made.arguments[1]);
            if matches!(call.outputs[0], Out::None) && !is_known_ioctl(made.arguments[1]) {
                thread.note(record::note::UNKNOWN_IOCTL, made.arguments[1] as i64, &[]);
            }
            with_call(thread, made, call)
        }
        Number::FCNTL => {
            let result = with_call(thread, made, fcntl_call(made.call, made.arguments[1]));
            files::follow_fcntl(thread, &made.arguments, result);
            result
        }
        Number::PRCTL | Number::SECCOMP if filter::is_filter(made.number, &made.arguments) => {
            filter::record(thread, made)
        }
        Number::PRCTL => control(thread, made),
        Number::SECCOMP => plain(thread, made),
        Number::ARCH_PRCTL => {
            made.check = check::arguments(thread, made.call, made.number, &made.arguments);
            // SAFETY: the program's own call.
            let result = unsafe { call_kernel(made.number, &made.arguments) };
            thread.emit_call(made.number, made.check, result as i64);
            result
        }
        Number::SEMCTL => {
            let length = semaphores_length(&made.arguments);
            with_call(
                thread,
                made,
                semctl_call(made.call, made.arguments[2], length),
            )
        }
        Number::FUTEX => record_futex(thread, made),
        Number::SET_TID_ADDRESS => {
            thread.ending.clear_tid = made.arguments.address(0);
            plain(thread, made)
        }
        Number::SET_ROBUST_LIST => {
            thread.ending.robust_list = made.arguments.address(0);
            plain(thread, made)
        }
        Number::RSEQ => ENOSYS,
        _ => plain(thread, made),
    }
}

/// As [`plain`], with a description of what this very call writes.
fn with_call(thread: &mut Thread, made: &mut Made, call: Call) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let arguments = made.arguments;
    let result = if call.blocks {
        perform(thread, made, &arguments)
    } else {
        // SAFETY: the program's own call.
        unsafe { call_kernel(made.number, &arguments) }
    };
    write_down_as(thread, &call, made, result, Before::default(), &[]);
    result
}

/// What an ioctl writes, from its number.
pub fn ioctl_call(call: &Call, request: usize) -> Call {
    let request = request as u32;
    let length: u16 = match request {
        0x5401 | 0x5405 => 36,
        0x5413 => 8,
        0x540f | 0x5411 | 0x541b | 0x5429 | 0x5424 | 0x8901 | 0x8903 | 0x8904 | 0x8905 => 4,
        0x8906 | 0x8907 => 16,
        0x8912 => 16,
        0x8910 | 0x8913..=0x8943 => 40,
        _ if request >> 30 & 2 != 0 => (request >> 16 & 0x3fff) as u16,
        _ => 0,
    };
    let mut call = *call;
    if length != 0 {
        call.outputs[0] = Out::Fixed(2, length);
    }
    call
}

/// Requests that are known to write nothing.
pub fn is_known_ioctl(request: usize) -> bool {
    let request = request as u32;
    matches!(
        request,
        0x5402..=0x5404
            | 0x5406..=0x540e
            | 0x5410
            | 0x5412
            | 0x5414
            | 0x5421
            | 0x5422
            | 0x5450..=0x5452
            | 0x8902
    ) || request >> 30 == 1
}

pub fn fcntl_call(call: &Call, command: usize) -> Call {
    let mut call = *call;
    // Only a wait for a lock may block.
    call.blocks = matches!(command, 7 | 38);
    call.outputs[0] = match command {
        F_GETLK | F_OFD_GETLK => Out::Fixed(2, 32),
        F_GETOWN_EX => Out::Fixed(2, 8),
        1035 | 1037 => Out::Fixed(2, 8),
        _ => Out::None,
    };
    call
}

const GETALL: usize = 13;
/// Bytes of the description of a set of System V semaphores, and where it says how many they are.
const SET_DESCRIPTION: usize = 104;
const SET_COUNT: usize = 80;

/// What semctl writes; `length`: of all values of the set.
pub fn semctl_call(call: &Call, command: usize, length: u16) -> Call {
    const IPC_STAT: usize = 2;
    const IPC_INFO: usize = 3;
    const SEM_STAT: usize = 18;
    const SEM_INFO: usize = 19;
    const SEM_STAT_ANY: usize = 20;
    let mut call = *call;
    call.outputs[0] = match command {
        IPC_STAT | SEM_STAT | SEM_STAT_ANY => Out::Fixed(3, SET_DESCRIPTION as u16),
        IPC_INFO | SEM_INFO => Out::Fixed(3, 40),
        GETALL => Out::Fixed(3, length),
        _ => Out::None,
    };
    call
}

/// Recording: how many bytes the values of a set have that semctl is asked for.
fn semaphores_length(arguments: &[usize; 6]) -> u16 {
    const IPC_STAT: usize = 2;
    if arguments[2] != GETALL {
        return 0;
    }
    let mut description = [0u64; SET_DESCRIPTION / 8];
    let place = (&raw mut description) as usize;
    // SAFETY: the kernel writes as much as there is room for.
    let result = unsafe { call_kernel(Number::SEMCTL, &[arguments[0], 0, IPC_STAT, place, 0, 0]) };
    let count = description.get(SET_COUNT / 8).copied().unwrap_or(0);
    if result < 0 {
        0
    } else {
        count.saturating_mul(2).min(u64::from(u16::MAX)) as u16
    }
}

/// A thread that waits without a limit was woken by another one, and how soon it runs is not promised.
fn record_futex(thread: &mut Thread, made: &mut Made) -> isize {
    const WAIT: usize = 0;
    const WAIT_BITSET: usize = 9;
    const COMMAND: usize = 0x7f;
    let [address, operation, _, limit, ..] = *made.arguments;
    if let Some(woken) = wake_nobody(thread, &made.arguments) {
        return woken;
    }
    let waits = matches!(operation & COMMAND, WAIT | WAIT_BITSET);
    if waits {
        thread.preemption.vain.begin(address, thread.log.events);
    }
    thread.preemption.patient = waits && limit == 0;
    let result = with_call(thread, made, futex_call(made.call, operation));
    thread.preemption.patient = false;
    result
}

/// Both modes: unlocking a lock that came along in a fork wakes the threads that waited for it, which are not there.
/// Whether any did is a matter of time, so such a call is made and not recorded.
pub fn wake_nobody(thread: &Thread, a: &[usize; 6]) -> Option<isize> {
    const WAKE_PRIVATE: usize = 1 | 128;
    // SAFETY: waking changes nothing but who runs.
    (thread.process().threads.has_foreign_locks.get() && a[1] == WAKE_PRIVATE)
        .then(|| unsafe { call_kernel(Number::FUTEX, a) })
}

/// What a futex call writes: words that the kernel changes on the program's behalf.
pub fn futex_call(call: &Call, operation: usize) -> Call {
    let mut call = *call;
    let operation = operation & 0x7f;
    call.blocks = matches!(operation, 0 | 6 | 9 | 11 | 13);
    call.outputs[0] = match operation {
        5 => Out::Fixed(4, 4),
        6 | 7 | 8 | 13 => Out::Fixed(0, 4),
        _ => Out::None,
    };
    call
}

pub fn prctl_call(call: &Call, option: usize) -> Call {
    let mut call = *call;
    call.outputs[0] = match option {
        2 | 9 | 19 | 25 | 37 | 5 => Out::Fixed(1, 4),
        16 => Out::Fixed(1, 16),
        40 => Out::Fixed(1, 8),
        _ => Out::None,
    };
    call
}

fn control(thread: &mut Thread, made: &mut Made) -> isize {
    const SET_SYSCALL_USER_DISPATCH: usize = 59;
    if made.arguments[0] == SET_SYSCALL_USER_DISPATCH {
        return crate::calls::record::EINVAL;
    }
    with_call(thread, made, prctl_call(made.call, made.arguments[0]))
}

/// Replay: the limit on the stack decides where the next program's libraries are mapped: it is really set.
pub fn limit_stack(made: &Made) {
    const STACK: usize = 3;
    let a = &made.arguments;
    let (resource, limit) = match made.number {
        Number::SETRLIMIT => (a[0], a[1]),
        _ if a[0] == 0 => (a[1], a[2]),
        _ => return,
    };
    if resource == STACK && limit != 0 {
        // SAFETY: the kernel judges the pointer itself.
        unsafe { raw::syscall6(Number::SETRLIMIT, STACK, limit, 0, 0, 0, 0) };
    }
}
