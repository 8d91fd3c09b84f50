//! Recording a call: make it, and write down what the program could see of it.

use crate::calls::check;
use crate::calls::connections;
use crate::calls::draft;
use crate::calls::entry;
use crate::calls::exec;
use crate::calls::exit;
use crate::calls::memory;
use crate::calls::outputs::{self, Before, EINTR};
use crate::calls::pairs;
use crate::calls::process;
use crate::calls::reads;
use crate::calls::special;
use crate::calls::splice;
use crate::calls::writes;
use crate::calls::writethrough;
use crate::memory::user;
use crate::parallel::events;
use crate::parallel::library;
use crate::program::disarm;
use crate::serial::token;
use crate::signals;
use crate::signals::queue;
use crate::state::order;
use crate::state::{Thread, header};
use wayfarer_calls::{Call, Kind, Number};
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::flags;
use wayfarer_runtime_abi::record::{self, Head};

pub const ENOSYS: isize = -38;
pub const EBADF: isize = -9;
pub const EINVAL: isize = -22;

/// One call of the program, from its arguments to its result.
pub struct Made<'a> {
    pub call: &'static Call,
    pub number: Number,
    pub arguments: [usize; 6],
    pub check: u8,
    pub frame: &'a mut Frame,
}

impl Made<'_> {
    #[inline(always)]
    pub fn new<'a>(call: &'static Call, frame: &'a mut Frame) -> Made<'a> {
        Made {
            call,
            number: frame.number(),
            arguments: frame.arguments(),
            check: 0,
            frame,
        }
    }

    /// Its record, without payload.
    #[inline(always)]
    pub fn head(&self, result: isize) -> Head {
        Head::call(self.number.word(), self.check, result as i64)
    }
}

/// The dispatcher while recording. In its caller's code: see [`wayfarer_entrance::call`].
#[inline(always)]
pub fn dispatch(thread: &mut Thread, frame: &mut Frame) {
    if thread.arrivals.pending.load(Ordering::Relaxed) != 0
        && (thread.sync == order::OFF || !entry::is_made_for_real(frame.number()))
    {
        signals::deliver(thread, frame, record::place::ENTRY);
    }
    if thread.sync != order::OFF && entry::enter(thread, frame) {
        return;
    }
    let number = frame.number();
    let call = number.call();
    let result = if call.bare {
        let arguments = frame.arguments();
        let check = check::arguments(thread, call, number, &arguments);
        // SAFETY: the program's own call.
        let result = unsafe { call_kernel(number, &arguments) };
        thread.emit_call(number, check, result as i64);
        result
    } else if call.drafts && thread.serial.holds_token && thread.sync == order::OFF {
        draft::make(thread, frame, call)
    } else {
        ordinary(thread, Made::new(call, frame))
    };
    finish(thread, frame, result);
}

/// Any call that has no shorter way.
#[inline(always)]
fn ordinary(thread: &mut Thread, mut made: Made) -> isize {
    match made.call.kind {
        Kind::Emulate => plain(thread, &mut made),
        Kind::Special => routine(thread, &mut made),
        Kind::Execute => execute(thread, &mut made),
        Kind::Refuse => {
            if matches!(made.number, Number::IO_SETUP | Number::IO_URING_SETUP) {
                thread.note(
                    record::note::REFUSED_ASYNC_IO,
                    made.number.word() as i64,
                    &[],
                );
            }
            ENOSYS
        }
        Kind::Unknown => {
            thread.note(record::note::UNKNOWN_CALL, made.number.word() as i64, &[]);
            plain(thread, &mut made)
        }
    }
}

/// A call that a replay makes, too.
fn execute(thread: &mut Thread, made: &mut Made) -> isize {
    let (number, arguments) = (made.number, made.arguments);
    made.check = check::arguments(thread, made.call, number, &arguments);
    disarm::before_call(thread, number, &arguments);
    // SAFETY: the program's own call.
    let result = unsafe { call_kernel(number, &arguments) };
    if number == Number::MUNMAP {
        writethrough::forget(thread, arguments[0], arguments[1]);
    }
    thread.emit_call(number, made.check, result as i64);
    result
}

/// The end of every call: its result, and the handlers that must run before the program sees it.
#[inline(always)]
fn finish(thread: &mut Thread, frame: &mut Frame, result: isize) {
    frame.rax = result as usize;
    if thread.sync != order::OFF {
        events::leave(thread);
    }
    if thread.arrivals.pending.load(Ordering::Relaxed) != 0 {
        signals::deliver(thread, frame, record::place::EXIT);
    }
    if thread.sync == order::OFF {
        token::yield_if_asked(thread);
    } else {
        library::call_is_over(thread);
    }
}

/// # Safety
/// As the call itself.
#[inline(always)]
pub unsafe fn call_kernel(number: Number, a: &[usize; 6]) -> isize {
    // SAFETY: as the caller says.
    unsafe { raw::syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]) }
}

fn routine(thread: &mut Thread, made: &mut Made) -> isize {
    match made.number {
        Number::READ | Number::READV | Number::RECVFROM | Number::PREADV2 => {
            reads::record_read(thread, made)
        }
        Number::WRITE
        | Number::PWRITE64
        | Number::WRITEV
        | Number::SENDTO
        | Number::SENDMSG
        | Number::PWRITEV
        | Number::SENDMMSG
        | Number::PWRITEV2 => writes::record_write(thread, made),
        Number::RECVMSG | Number::RECVMMSG => reads::record_message(thread, made),
        Number::SENDFILE
        | Number::SPLICE
        | Number::TEE
        | Number::VMSPLICE
        | Number::COPY_FILE_RANGE => splice::record_splice(thread, made),
        Number::PIPE | Number::PIPE2 | Number::SOCKETPAIR => pairs::record_pair(thread, made),
        Number::CONNECT => connections::record_connect(thread, made),
        Number::ACCEPT | Number::ACCEPT4 => connections::record_accept(thread, made),
        Number::GETSOCKNAME | Number::GETPEERNAME => connections::record_name(thread, made),
        Number::MMAP
        | Number::BRK
        | Number::MREMAP
        | Number::SHMAT
        | Number::SHMDT
        | Number::SHMGET => memory::record(thread, made),
        Number::CLONE | Number::FORK | Number::CLONE3 | Number::VFORK => {
            process::record_clone(thread, made)
        }
        Number::EXECVE | Number::EXECVEAT => exec::record_exec(thread, made),
        Number::EXIT | Number::EXIT_GROUP => exit::exit(thread, made),
        _ => special::record(thread, made),
    }
}

/// A call without peculiarities.
#[inline]
pub fn plain(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let before = outputs::before(made.call, &made.arguments);
    let arguments = made.arguments;
    let result = perform(thread, made, &arguments);
    if made.call.descriptors {
        special::follow_descriptors(thread, made.number, &made.arguments, result);
    }
    write_down(thread, made, result, before, &[]);
    result
}

/// Makes the call; lets others run while it waits, and runs handlers that interrupt it.
#[inline]
pub fn perform(thread: &mut Thread, made: &mut Made, arguments: &[usize; 6]) -> isize {
    if !made.call.blocks {
        // SAFETY: the program's own call.
        return unsafe { call_kernel(made.number, arguments) };
    }
    match perform_once(thread, made.number, arguments) {
        EINTR => again(thread, made, arguments),
        result => result,
    }
}

/// A call has been interrupted: makes it again, as often as the program does not notice.
#[cold]
#[inline(never)]
pub fn again(thread: &mut Thread, made: &mut Made, arguments: &[usize; 6]) -> isize {
    loop {
        if thread.arrivals.pending.load(Ordering::Relaxed) == 0 {
            // Only our own signals: the program must not notice.
        } else if made.call.restarts && queue::all_restart(thread) {
            signals::deliver(thread, made.frame, record::place::RESTART);
        } else {
            return EINTR;
        }
        let result = perform_once(thread, made.number, arguments);
        if result != EINTR {
            return result;
        }
    }
}

/// Makes a call that may wait, once.
#[inline(always)]
pub fn perform_once(thread: &mut Thread, number: Number, arguments: &[usize; 6]) -> isize {
    let held = thread.serial.holds_token;
    if held {
        token::release(thread);
    }
    // SAFETY: the program's own call.
    let result = unsafe {
        raw::syscall_interruptible(
            number,
            arguments,
            (&raw const thread.arrivals.pending).cast(),
        )
    };
    if held {
        token::acquire(thread);
    } else {
        token::take(thread);
    }
    result
}

/// Writes the record of a call with everything that it wrote, and `suffix` after it.
#[inline]
pub fn write_down(thread: &mut Thread, made: &Made, result: isize, before: Before, suffix: &[u8]) {
    let argument = |index: u8| made.arguments.get(index as usize).copied().unwrap_or(0);
    match outputs::only_piece(made.call, result, argument) {
        Some((_, 0)) if suffix.is_empty() => {
            thread.emit_call(made.number, made.check, result as i64);
        }
        Some((pointer, length)) if suffix.is_empty() => {
            // SAFETY: memory that the kernel has just written for this call.
            let bytes = unsafe { core::slice::from_raw_parts(pointer as *const u8, length) };
            thread.emit_with(made.head(result), bytes);
        }
        _ => write_down_as(thread, made.call, made, result, before, suffix),
    }
}

/// The same with a description of this very call instead of the table's: twice over the pieces, for the length and
/// for the bytes.
#[inline(never)]
pub fn write_down_as(
    thread: &mut Thread,
    call: &Call,
    made: &Made,
    result: isize,
    before: Before,
    suffix: &[u8],
) {
    let mut length = suffix.len();
    outputs::walk(call, &made.arguments, result, before, &mut |_, piece| {
        length += piece
    });
    if length == 0 {
        thread.emit_call(made.number, made.check, result as i64);
        return;
    }
    thread.emit_filled(made.head(result), length, |mut place| {
        let put = &mut |pointer, piece| {
            // Another thread may take the memory away meanwhile: then it is not seen.
            user::copy_in(place, pointer, piece);
            place = place.wrapping_add(piece);
        };
        outputs::walk(call, &made.arguments, result, before, put);
        // SAFETY: room for the suffix was asked for, too.
        unsafe { core::ptr::copy_nonoverlapping(suffix.as_ptr(), place, suffix.len()) };
    });
}

/// Whether the contents of streams inside the set are logged as well.
#[inline(always)]
pub fn contents_all() -> bool {
    header().flags & flags::CONTENTS_ALL != 0
}
