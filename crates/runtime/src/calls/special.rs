//! Calls with a routine of their own that fit nowhere else: descriptors, control calls, masks.

use crate::calls::check;
use crate::calls::descriptors::{OUTPUT_OBJECT, give_up_tracking, is_ours};
use crate::calls::filter;
use crate::calls::outputs::{self, Before};
use crate::calls::record::{
    EBADF, ENOSYS, Made, call_kernel, perform, plain, write_down, write_down_as,
};
use crate::kernel::action::NEVER_TAKEN;
use crate::memory::user;
use crate::signals::actions;
use crate::state::Thread;
use wayfarer_calls::{Call, Number, Out};
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::record;

const F_DUPFD: usize = 0;
const F_GETLK: usize = 5;
const F_GETOWN_EX: usize = 16;
const F_OFD_GETLK: usize = 36;
const F_DUPFD_CLOEXEC: usize = 1030;

#[inline(never)]
pub fn record(thread: &mut Thread, made: &mut Made) -> isize {
    match made.number {
        Number::CLOSE => close(thread, made),
        Number::CLOSE_RANGE => close_range(thread, made),
        Number::DUP2 | Number::DUP3 => duplicate(thread, made),
        Number::OPEN | Number::CREAT | Number::OPENAT | Number::OPENAT2 => open(thread, made),
        Number::IOCTL => {
            let call = ioctl_call(made.call, made.arguments[1]);
            if matches!(call.outputs[0], Out::None) && !is_known_ioctl(made.arguments[1]) {
                thread.note(record::note::UNKNOWN_IOCTL, made.arguments[1] as i64, &[]);
            }
            with_call(thread, made, call)
        }
        Number::FCNTL => {
            let result = with_call(thread, made, fcntl_call(made.call, made.arguments[1]));
            follow_fcntl(thread, &made.arguments, result);
            result
        }
        Number::RT_SIGACTION => action(thread, made),
        Number::RT_SIGPROCMASK => mask(thread, made),
        Number::RT_SIGSUSPEND
        | Number::PPOLL
        | Number::PSELECT6
        | Number::EPOLL_PWAIT
        | Number::EPOLL_PWAIT2 => masked_wait(thread, made),
        Number::RT_SIGTIMEDWAIT | Number::SIGNALFD | Number::SIGNALFD4 => signal_set(thread, made),
        Number::SIGALTSTACK => alternate_stack(thread, made),
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
            thread.ending.clear_tid = made.arguments[0];
            plain(thread, made)
        }
        Number::SET_ROBUST_LIST => {
            thread.ending.robust_list = made.arguments[0];
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
    let [address, operation, _, limit, ..] = made.arguments;
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

/// Both modes: fcntl can duplicate a descriptor.
pub fn follow_fcntl(thread: &mut Thread, a: &[usize; 6], result: isize) {
    if result >= 0 && matches!(a[1], F_DUPFD | F_DUPFD_CLOEXEC) {
        let entry = thread.process().entry(a[0]);
        thread.process().set_entry(result as usize, entry);
    }
}

fn close(thread: &mut Thread, made: &mut Made) -> isize {
    if is_ours(made.arguments[0]) {
        return EBADF;
    }
    thread.process().set_entry(made.arguments[0], 0);
    plain(thread, made)
}

/// close_range without our own descriptors.
fn close_range(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let (first, last) = (
        made.arguments[0] as u32 as usize,
        made.arguments[1] as u32 as usize,
    );
    let flags = made.arguments[2];
    let (low, high) = (
        wayfarer_runtime_abi::SESSION_FD as usize,
        wayfarer_runtime_abi::RUNTIME_FD as usize,
    );
    let mut result = 0;
    // SAFETY: close_range touches no memory.
    unsafe {
        if first > high || last < low || first > last {
            result = raw::syscall6(Number::CLOSE_RANGE, first, last, flags, 0, 0, 0);
        } else {
            if first < low {
                result = raw::syscall6(Number::CLOSE_RANGE, first, low - 1, flags, 0, 0, 0);
            }
            if last > high && result == 0 {
                result = raw::syscall6(Number::CLOSE_RANGE, high + 1, last, flags, 0, 0, 0);
            }
        }
    }
    follow_close_range(thread, &made.arguments, result);
    thread.emit_call(Number::CLOSE_RANGE, made.check, result as i64);
    result
}

/// Both modes.
pub fn follow_close_range(thread: &mut Thread, a: &[usize; 6], result: isize) {
    const CLOEXEC: usize = 4;
    if result == 0 && a[2] & CLOEXEC == 0 {
        thread
            .process()
            .clear_range(a[0] as u32 as usize, a[1] as u32 as usize);
    }
}

fn duplicate(thread: &mut Thread, made: &mut Made) -> isize {
    if is_ours(made.arguments[0]) || is_ours(made.arguments[1]) {
        return EBADF;
    }
    plain(thread, made)
}

fn open(thread: &mut Thread, made: &mut Made) -> isize {
    let result = plain(thread, made);
    follow_open(thread, made.number, &made.arguments, result);
    result
}

/// Both modes: a pipe or the session's output can be opened anew under a name in /dev or /proc.
pub fn follow_open(thread: &mut Thread, number: Number, a: &[usize; 6], result: isize) {
    if result < 0 {
        return;
    }
    let path = if matches!(number, Number::OPEN | Number::CREAT) {
        a[0]
    } else {
        a[1]
    };
    let entry = match reopened(thread, path) {
        Some(descriptor) => thread.process().entry(descriptor),
        None => 0,
    };
    if entry >> 1 == OUTPUT_OBJECT {
        thread.process().set_entry(result as usize, entry);
        return;
    }
    if entry != 0 {
        give_up_tracking(entry);
    }
    thread.process().set_entry(result as usize, 0);
}

/// The descriptor that a path such as /dev/stdout or /proc/self/fd/5 names.
fn reopened(thread: &mut Thread, path: usize) -> Option<usize> {
    let start = user::read::<[u8; 5]>(path)?;
    if &start != b"/dev/" && &start != b"/proc" {
        return None;
    }
    let length = user::string_length(thread, path, 32)?;
    let mut text = [0u8; 32];
    if !user::copy_in(text.as_mut_ptr(), path, length.min(32)) {
        return None;
    }
    let is = |name: &[u8]| length == name.len() && text.starts_with(name);
    if is(b"/dev/stdin") {
        return Some(0);
    }
    if is(b"/dev/stdout") {
        return Some(1);
    }
    if is(b"/dev/stderr") {
        return Some(2);
    }
    let digits = if text.starts_with(b"/dev/fd/") {
        8
    } else if text.starts_with(b"/proc/self/fd/") {
        14
    } else {
        return None;
    };
    let mut descriptor = 0usize;
    for &digit in text.get(digits..length.min(32))? {
        if !digit.is_ascii_digit() {
            return None;
        }
        descriptor = descriptor
            .wrapping_mul(10)
            .wrapping_add((digit - b'0') as usize);
    }
    Some(descriptor)
}

fn action(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, Number::RT_SIGACTION, &made.arguments);
    let result = actions::action(thread, &made.arguments, None);
    let mut old = [0u8; 32];
    if result == 0
        && made.arguments[2] != 0
        && user::copy_in(old.as_mut_ptr(), made.arguments[2], 32)
    {
        thread.emit_with(made.head(0), &old);
    } else {
        thread.emit_call(Number::RT_SIGACTION, made.check, result as i64);
    }
    result
}

fn mask(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, Number::RT_SIGPROCMASK, &made.arguments);
    let mut arguments = made.arguments;
    let mut stripped = 0u64;
    let mut asked = None;
    if arguments[1] != 0
        && arguments[3] == 8
        && let Some(mask) = actions::strip_mask(arguments[1])
    {
        asked = user::read::<u64>(arguments[1]);
        stripped = mask;
        arguments[1] = (&raw mut stripped) as usize;
    }
    // SAFETY: the program's own call, with a mask on this stack.
    let result = unsafe { call_kernel(Number::RT_SIGPROCMASK, &arguments) };
    core::hint::black_box(&stripped);
    if result == 0 {
        if thread.signals.believed_blocked != 0
            && let Some(old) = user::read::<u64>(arguments[2])
        {
            let old = old | thread.signals.believed_blocked;
            user::copy_out(arguments[2], (&raw const old).cast(), 8);
        }
        if let Some(mask) = asked {
            actions::note_mask(thread, arguments[0], mask);
        }
    }
    write_down(thread, made, result, Before::default(), &[]);
    result
}

/// Calls that take signals of a set: never ours.
fn signal_set(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let mut arguments = made.arguments;
    let place = if made.number == Number::RT_SIGTIMEDWAIT {
        &mut arguments[0]
    } else {
        &mut arguments[1]
    };
    let mut stripped = 0u64;
    if let Some(set) = user::read::<u64>(*place) {
        stripped = set & !NEVER_TAKEN;
        *place = (&raw mut stripped) as usize;
    }
    let result = perform(thread, made, &arguments);
    core::hint::black_box(&stripped);
    write_down(thread, made, result, Before::default(), &[]);
    result
}

/// Calls that wait with a mask of their own.
fn masked_wait(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let mut arguments = made.arguments;
    let mut stripped = 0u64;
    let mut pair = [0usize; 2];
    let index = match made.number {
        Number::RT_SIGSUSPEND => 0,
        Number::PPOLL => 3,
        Number::EPOLL_PWAIT | Number::EPOLL_PWAIT2 => 4,
        _ => 5,
    };
    let pointer = outputs::argument(&arguments, index);
    if made.number == Number::PSELECT6 {
        if let Some(both) = user::read::<[usize; 2]>(pointer)
            && let Some(mask) = actions::strip_mask(both[0])
        {
            stripped = mask;
            thread.signals.let_in = !mask;
            pair = [(&raw mut stripped) as usize, both[1]];
            arguments[5] = (&raw mut pair) as usize;
        }
    } else if pointer != 0
        && let Some(mask) = actions::strip_mask(pointer)
    {
        stripped = mask;
        thread.signals.let_in = !mask;
        // SAFETY: the index is below 6.
        unsafe { *arguments.get_unchecked_mut(index as usize) = (&raw mut stripped) as usize };
    }
    let result = perform(thread, made, &arguments);
    core::hint::black_box((&stripped, &pair));
    if thread.arrivals.pending.load(Ordering::Relaxed) == 0 {
        thread.signals.let_in = 0;
    }
    write_down(thread, made, result, Before::default(), &[]);
    result
}

fn alternate_stack(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, Number::SIGALTSTACK, &made.arguments);
    // SAFETY: the program's own call.
    let result = unsafe { call_kernel(Number::SIGALTSTACK, &made.arguments) };
    note_alternate_stack(thread, &made.arguments, result);
    write_down(thread, made, result, Before::default(), &[]);
    result
}

/// Both modes: handlers that we call ourselves may want the alternate stack.
pub fn note_alternate_stack(thread: &mut Thread, a: &[usize; 6], result: isize) {
    if result == 0
        && a[0] != 0
        && let Some(stack) = user::read::<[usize; 3]>(a[0])
    {
        const DISABLE: usize = 2;
        let enabled = stack[1] & DISABLE == 0;
        thread.signals.alternate_stack = stack[0];
        thread.signals.alternate_size = if enabled { stack[2] } else { 0 };
    }
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
