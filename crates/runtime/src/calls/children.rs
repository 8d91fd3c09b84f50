//! The children of a process: their numbers in the session, and how a replay waits for them.

use crate::calls::record::Made;
use crate::calls::replay::emulate;
use crate::calls::spare;
use crate::memory::user;
use crate::session::wait;
use crate::state::process::MAX_CHILDREN;
use crate::state::{Process, Thread, header, process_slot, take, thread_slot};
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{
    RECORDED_PROCESSES, RECORDED_THREADS, flags, process_flags, process_state, waiting,
};
use wayfarer_runtime_abi::record::Child;

/// Takes numbers for a child and describes it in the session.
pub fn reserve(thread: &mut Thread, is_thread: bool) -> Option<Child> {
    let head = header();
    let mut child = Child {
        process: thread.process().id.get(),
        thread: take(&head.next_thread),
    };
    if !is_thread {
        child.process = take(&head.next_process);
    }
    let is_known = is_thread || child.process < RECORDED_PROCESSES;
    if child.thread >= RECORDED_THREADS || !is_known {
        child = spare::reserve(thread, is_thread, child)?;
    }
    if !is_thread {
        let slot = process_slot(child.process);
        slot.parent.set(thread.process().id.get());
        slot.main_thread.set(child.thread);
    }
    thread_slot(child.thread).process.set(child.process);
    Some(child)
}

pub fn remember_child(process: &Process, pid: u32, id: u32) {
    let index = process.children.next.get() & (MAX_CHILDREN - 1);
    // SAFETY: reduced.
    let child = unsafe { process.children.known.get_unchecked(index) };
    child[0].set(pid);
    child[1].set(id);
    process
        .children
        .next
        .set(process.children.next.get().wrapping_add(1));
}

/// The process of the session that a child's pid stands for; 0 unknown.
fn child_of(process: &Process, pid: u32) -> u32 {
    let mut back = 0;
    while back < MAX_CHILDREN && back < process.children.next.get() {
        let index = process.children.next.get().wrapping_sub(1 + back) & (MAX_CHILDREN - 1);
        // SAFETY: reduced.
        let [known, id] = unsafe { process.children.known.get_unchecked(index) };
        if known.get() == pid {
            return id.get();
        }
        back += 1;
    }
    0
}

/// Replay: wait4 and waitid: the child must have come to its end in the replay, too.
pub fn wait_for_child(thread: &mut Thread, made: &mut Made) -> isize {
    let call = made.call;
    let result = emulate(thread, made, call);
    let pid = if made.number == Number::WAIT4 {
        result
    } else {
        // waitid: si_pid lies 16 bytes into the siginfo.
        match user::read::<[u32; 5]>(made.arguments.address(2)) {
            Some(information) if result == 0 => information[4] as isize,
            _ => 0,
        }
    };
    if pid <= 0 {
        return result;
    }
    let stopped = made.number == Number::WAIT4
        && user::read::<u32>(made.arguments.address(1))
            .is_some_and(|status| status & 0xff == 0x7f || status == 0xffff);
    let id = child_of(thread.process(), pid as u32);
    if id != 0 && !stopped {
        let slot = process_slot(id);
        wait::until(thread, waiting::CHILD, u64::from(id), &slot.state, || {
            slot.state.load(Ordering::Acquire) > process_state::RUNNING
        });
        bury_children();
    }
    result
}

/// Replay: children that have ended would keep their ids until this process ends, and a system has not so many.
fn bury_children() {
    const NO_HANG: usize = 1;
    const ALL: usize = 0x4000_0000;
    // SAFETY: the program's own waits are answered from the log: nothing else asks for them.
    while unsafe { raw::syscall6(Number::WAIT4, usize::MAX, 0, NO_HANG | ALL, 0, 0, 0) } > 0 {}
}

pub fn is_skipped(child: Child) -> bool {
    let slot = process_slot(child.process);
    if header().flags & flags::ONLY != 0
        && slot.flags.load(Ordering::Relaxed) & process_flags::WANTED == 0
    {
        slot.state.store(process_state::SKIPPED, Ordering::Release);
        return true;
    }
    false
}
