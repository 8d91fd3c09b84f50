//! How the threads of a process are followed: decided when it gets its second one, by what its code looks like
//! (`program/survey.rs`), unless the user chose it.

use crate::hooks;
use crate::log::reader;
use crate::program::survey;
use crate::session::{domain, solid};
use crate::state::order::{OFF, RECORD, REPLAY, owner_of};
use crate::state::{Thread, header};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{MODE_RECORD, flags};
use wayfarer_runtime_abi::record::{self, Head, threads};

/// The process is about to have a second thread: from now on turns count.
pub fn start_serial(thread: &mut Thread) {
    let process = thread.process();
    if process.threads.serial.get() {
        // It shares memory with others, and had turns before it had threads.
        decide(thread);
        return;
    }
    process.threads.serial.set(true);
    decide(thread);
    if process.threads.parallel.get() && thread.mode != MODE_RECORD {
        return;
    }
    let token = domain::of(process);
    token.owner.store(thread.number + 1, Ordering::Relaxed);
    token.state.store(1, Ordering::Release);
    thread.serial.holds_token = true;
    thread.serial.turn = token.turn.load(Ordering::Relaxed);
}

/// The process is about to have its second thread: how it is followed from now on.
fn decide(thread: &mut Thread) {
    let process = thread.process();
    if process.threads.decided.get() {
        return;
    }
    process.threads.decided.set(true);
    if thread.mode == MODE_RECORD {
        let (mode, reason, value) = choose(thread);
        thread.emit_plain(Head::new(record::THREADS, mode, reason, value));
        process.threads.parallel.set(mode == threads::PARALLEL);
    } else if let Some(next) = reader::peek(thread)
        && next.tag == record::THREADS
    {
        reader::advance(thread, next.length);
        process
            .threads
            .parallel
            .set(next.number == threads::PARALLEL);
    }
    if process.threads.parallel.get() {
        adopt(thread);
        solid::start(thread);
        hooks::thread::prepare(thread);
        // Not before: what was just prepared is ours.
        thread.process().code.surveyed.set(true);
    } else if hooks::all_found() {
        hooks::thread::prepare_locks(thread);
    }
}

fn choose(thread: &Thread) -> (u64, u8, i64) {
    let asked = header().flags;
    if asked & flags::SERIAL != 0 {
        return (threads::SERIAL, threads::ASKED, 0);
    }
    if thread.process().threads.shared_domain.get() {
        return (threads::SERIAL, threads::SHARED_MEMORY, 0);
    }
    if !hooks::all_found() {
        return (threads::SERIAL, threads::UNKNOWN_LIBC, 0);
    }
    if asked & flags::PARALLEL != 0 {
        return (threads::PARALLEL, threads::ASKED, 0);
    }
    let verdict = survey::verdict(hooks::cancel::can_follow);
    if verdict.0 == threads::PARALLEL && !thread.library.makes_thread {
        return (threads::SERIAL, threads::THREADS_OF_LIBC, 0);
    }
    verdict
}

/// This thread belongs to a parallel process.
pub fn adopt(thread: &mut Thread) {
    thread.parallel.owner = owner_of(thread.number);
    thread.sync = if !thread.process().threads.parallel.get() {
        OFF
    } else if thread.mode == MODE_RECORD {
        RECORD
    } else {
        REPLAY
    };
}
