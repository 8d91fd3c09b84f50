//! The dispatcher of a replay.

use crate::calls::check;
use crate::calls::children;
use crate::calls::connections;
use crate::calls::descriptors::{self, OUTPUT_OBJECT};
use crate::calls::exec;
use crate::calls::exit;
use crate::calls::files;
use crate::calls::memory;
use crate::calls::process;
use crate::calls::reads;
use crate::calls::record::{EBADF, EINVAL, ENOSYS, Made, call_kernel};
use crate::calls::replay::{after_call, compare, emulate, expect};
use crate::calls::signals;
use crate::calls::special;
use crate::calls::splice;
use crate::calls::writes::replay_write;
use crate::calls::writethrough;
use crate::dispatch::entry;
use crate::log::reader;
use crate::parallel::events;
use crate::parallel::library;
use crate::parallel::nap;
use crate::session::diverge;
use crate::state::Thread;
use crate::state::order;
use wayfarer_calls::{Kind, Number};
use wayfarer_entrance::frame::Frame;
use wayfarer_runtime_abi::layout::divergence;
use wayfarer_runtime_abi::record;

/// The dispatcher of a replay.
pub fn dispatch(thread: &mut Thread, frame: &mut Frame) {
    if thread.sync != order::OFF && entry::replay_real(thread, frame) {
        return;
    }
    if thread.sync != order::OFF && frame.number().call().blocks {
        entry::announce(thread, frame);
    }
    let mut made = Made::new(frame.number().call(), frame);
    let result = match made.call.kind {
        Kind::Refuse => ENOSYS,
        Kind::Execute => execute(thread, &mut made),
        Kind::Special => routine(thread, &mut made),
        Kind::Emulate | Kind::Unknown => {
            let call = made.call;
            let result = emulate(thread, &mut made, call);
            if thread.sync != order::OFF {
                nap::take(thread, made.number, &made.arguments, result);
            }
            result
        }
    };
    frame.rax = result as usize;
    if thread.sync != order::OFF && thread.parallel.keeps == 0 {
        events::end_event(thread);
    }
    after_call(thread, frame);
    if thread.sync != order::OFF {
        library::call_is_over(thread);
    }
}

#[inline(never)]
fn routine(thread: &mut Thread, made: &mut Made) -> isize {
    let call = made.call;
    match made.number {
        Number::WRITE
        | Number::PWRITE64
        | Number::WRITEV
        | Number::SENDTO
        | Number::SENDMSG
        | Number::PWRITEV
        | Number::SENDMMSG
        | Number::PWRITEV2 => replay_write(thread, made),
        Number::RECVMSG | Number::RECVMMSG => {
            let result = emulate(thread, made, call);
            if result >= 0 && made.number == Number::RECVMSG {
                reads::forget_received(thread, made.arguments.address(1));
            }
            result
        }
        Number::SENDFILE
        | Number::SPLICE
        | Number::TEE
        | Number::VMSPLICE
        | Number::COPY_FILE_RANGE => {
            let (_, to) = splice::splice_ends(made.number, &made.arguments);
            if thread.process().entry(to) >> 1 == OUTPUT_OBJECT {
                return EINVAL;
            }
            emulate(thread, made, call)
        }
        Number::PIPE
        | Number::PIPE2
        | Number::SOCKETPAIR
        | Number::CONNECT
        | Number::ACCEPT
        | Number::ACCEPT4 => connections::replay_object(thread, made),
        Number::MMAP
        | Number::BRK
        | Number::MREMAP
        | Number::SHMGET
        | Number::SHMAT
        | Number::SHMDT => memory::replay(thread, made),
        Number::CLONE | Number::FORK | Number::CLONE3 | Number::VFORK => {
            process::replay_clone(thread, made)
        }
        Number::EXECVE | Number::EXECVEAT => exec::replay_exec(thread, made),
        Number::EXIT | Number::EXIT_GROUP => exit::replay_exit(thread, made),
        Number::CLOSE | Number::DUP2 | Number::DUP3 if is_ours(made) => EBADF,
        Number::CLOSE => {
            thread.process().set_entry(made.arguments[0], 0);
            emulate(thread, made, call)
        }
        Number::CLOSE_RANGE => {
            let result = emulate(thread, made, call);
            files::follow_close_range(thread, &made.arguments, result);
            result
        }
        Number::OPEN | Number::CREAT | Number::OPENAT | Number::OPENAT2 => {
            let result = emulate(thread, made, call);
            files::follow_open(thread, made.number, &made.arguments, result);
            result
        }
        Number::IOCTL => emulate(thread, made, &special::ioctl_call(call, made.arguments[1])),
        Number::FCNTL => {
            let result = emulate(thread, made, &special::fcntl_call(call, made.arguments[1]));
            files::follow_fcntl(thread, &made.arguments, result);
            result
        }
        Number::RT_SIGACTION => signals::replay_action(thread, made),
        Number::SIGALTSTACK => {
            // SAFETY: the program's own call; handlers run on its alternate stack here too.
            let result = unsafe { call_kernel(Number::SIGALTSTACK, &made.arguments) };
            signals::note_alternate_stack(thread, &made.arguments, result);
            emulate(thread, made, call)
        }
        Number::PRCTL if made.arguments[0] == 59 => EINVAL,
        Number::PRCTL => {
            const SET_NAME: usize = 15;
            if made.arguments[0] == SET_NAME {
                // SAFETY: the program's own call, harmless and of use to a user who looks on.
                unsafe { call_kernel(Number::PRCTL, &made.arguments) };
            }
            emulate(thread, made, &special::prctl_call(call, made.arguments[0]))
        }
        Number::ARCH_PRCTL => execute(thread, made),
        Number::SEMCTL => {
            // The record knows how many values there were.
            let call = special::semctl_call(call, made.arguments[2], u16::MAX);
            emulate(thread, made, &call)
        }
        Number::FUTEX => match special::wake_nobody(thread, &made.arguments) {
            Some(woken) => woken,
            None => emulate(thread, made, &special::futex_call(call, made.arguments[1])),
        },
        Number::SET_TID_ADDRESS => {
            thread.ending.clear_tid = made.arguments.address(0);
            emulate(thread, made, call)
        }
        Number::SET_ROBUST_LIST => {
            thread.ending.robust_list = made.arguments.address(0);
            emulate(thread, made, call)
        }
        Number::SETRLIMIT | Number::PRLIMIT64 => {
            special::limit_stack(made);
            emulate(thread, made, call)
        }
        Number::RSEQ => ENOSYS,
        Number::WAIT4 | Number::WAITID => children::wait_for_child(thread, made),
        _ => emulate(thread, made, call),
    }
}

fn is_ours(made: &Made) -> bool {
    descriptors::is_ours(made.arguments[0])
        || (made.number != Number::CLOSE && descriptors::is_ours(made.arguments[1]))
}

/// A call that is really made in both runs.
#[inline(never)]
fn execute(thread: &mut Thread, made: &mut Made) -> isize {
    let check = check::arguments(thread, made.call, made.number, &made.arguments);
    let next = expect(thread, made, record::SYSCALL);
    compare(thread, made, check, &next);
    reader::advance(thread, next.length);
    thread.count_event();
    // It did nothing, and may have been refused for something that this memory is not: locked, or of the kernel's
    // shared memory.
    if next.value == EINVAL as i64 {
        return EINVAL;
    }
    if made.number == Number::MUNMAP {
        writethrough::forget(thread, made.arguments[0], made.arguments[1]);
    }
    // SAFETY: the program's own call.
    let result = unsafe { call_kernel(made.number, &made.arguments) };
    if result as i64 != next.value {
        diverge::details([next.value as u64, result as u64, 0, 0]);
        diverge::report(
            thread,
            divergence::OTHER_MEMORY,
            made.number.word() as i64,
            check,
            &made.arguments,
            Some(&next),
        );
    }
    result
}
