//! The dispatcher while recording.

use crate::calls::check;
use crate::calls::connections;
use crate::calls::draft;
use crate::calls::exec;
use crate::calls::exit;
use crate::calls::files;
use crate::calls::memory;
use crate::calls::pairs;
use crate::calls::process;
use crate::calls::reads;
use crate::calls::record::{ENOSYS, Made, call_kernel, plain};
use crate::calls::signals;
use crate::calls::special;
use crate::calls::splice;
use crate::calls::writes;
use crate::calls::writethrough;
use crate::dispatch::entry;
use crate::parallel::events;
use crate::parallel::library;
use crate::program::disarm;
use crate::serial::token;
use crate::signals::delivery;
use crate::state::Thread;
use crate::state::order;
use wayfarer_calls::{Kind, Number};
use wayfarer_entrance::frame::Frame;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::record;

/// The dispatcher while recording. In its caller's code: see [`wayfarer_entrance::call`].
#[inline(always)]
pub fn dispatch(thread: &mut Thread, frame: &mut Frame) {
    if thread.arrivals.pending.load(Ordering::Relaxed) != 0
        && (thread.sync == order::OFF || !entry::is_made_for_real(frame.number()))
    {
        delivery::deliver(thread, frame, record::place::ENTRY);
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
        delivery::deliver(thread, frame, record::place::EXIT);
    }
    if thread.sync == order::OFF {
        token::yield_if_asked(thread);
    } else {
        library::call_is_over(thread);
    }
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
        Number::EXIT | Number::EXIT_GROUP => exit::record_exit(thread, made),
        Number::CLOSE => files::close(thread, made),
        Number::CLOSE_RANGE => files::close_range(thread, made),
        Number::DUP2 | Number::DUP3 => files::duplicate(thread, made),
        Number::OPEN | Number::CREAT | Number::OPENAT | Number::OPENAT2 => {
            files::open(thread, made)
        }
        Number::RT_SIGACTION => signals::action(thread, made),
        Number::RT_SIGPROCMASK => signals::mask(thread, made),
        Number::RT_SIGSUSPEND
        | Number::PPOLL
        | Number::PSELECT6
        | Number::EPOLL_PWAIT
        | Number::EPOLL_PWAIT2 => signals::masked_wait(thread, made),
        Number::RT_SIGTIMEDWAIT | Number::SIGNALFD | Number::SIGNALFD4 => {
            signals::signal_set(thread, made)
        }
        Number::SIGALTSTACK => signals::alternate_stack(thread, made),
        _ => special::record(thread, made),
    }
}
