//! Processes and threads: how they come and go, in both modes.

use crate::calls::children::{is_skipped, remember_child, reserve};
use crate::calls::mode;
use crate::calls::record::Made;
use crate::calls::replay;
use crate::kernel::mask::{block_signals, restore_signals};
use crate::log::reader;
use crate::memory::user;
use crate::program::disarm;
use crate::program::late;
use crate::serial::ahead;
use crate::serial::token;
use crate::serial::turns;
use crate::session::diverge;
use crate::session::domain;
use crate::signals::faults;
use crate::state::crossings::Crossings;
use crate::state::windows;
use crate::state::{
    self, Thread, current, drop_window, header, new_process, new_thread, process_slot,
    process_window, room_window, thread_slot, thread_window,
};
use wayfarer_calls::Number;
use wayfarer_calls::process::{
    CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID, CLONE_CLEAR_SIGHAND, CLONE_PARENT_SETTID,
    CLONE_PIDFD, CLONE_THREAD, CLONE_VFORK, CLONE_VM,
};
use wayfarer_entrance::arguments::{Address, Arguments};
use wayfarer_entrance::clone::{self, Shape};
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::{dispatch, raw, tls};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{
    MODE_RECORD, MODE_REPLAY, divergence, flags, process_flags, process_state,
};
use wayfarer_runtime_abi::record::{self, Child, Head};

/// Namespaces: a replay makes none.
const CLONE_NAMESPACES: usize = 0x7e02_0000;
pub const ENOMEM: isize = -12;

/// Flags and the words that the kernel writes thread ids to.
#[derive(Clone, Copy, Default)]
struct Wishes {
    flags: usize,
    parent_tid: Address,
    child_tid: Address,
}

fn wishes(number: Number, a: &Arguments) -> Option<Wishes> {
    match number {
        Number::CLONE => Some(Wishes {
            flags: a[0],
            parent_tid: a.address(2),
            child_tid: a.address(3),
        }),
        Number::CLONE3 => {
            let fields = user::read::<[usize; 8]>(a.address(0))?;
            Some(Wishes {
                flags: fields[0],
                parent_tid: Address::new(fields[3]),
                child_tid: Address::new(fields[2]),
            })
        }
        Number::VFORK => Some(Wishes {
            flags: CLONE_VM | CLONE_VFORK,
            ..Wishes::default()
        }),
        _ => Some(Wishes::default()),
    }
}

fn own_pid() -> u32 {
    // SAFETY: getpid has no arguments.
    unsafe { raw::syscall6(Number::GETPID, 0, 0, 0, 0, 0, 0) as u32 }
}

fn own_tid() -> u32 {
    // SAFETY: gettid has no arguments.
    unsafe { raw::syscall6(Number::GETTID, 0, 0, 0, 0, 0, 0) as u32 }
}

pub fn describe(thread: &Thread, number: u32) {
    let slot = thread_slot(number);
    slot.real_tid.store(own_tid(), Ordering::Relaxed);
    if thread.mode == MODE_RECORD {
        slot.tid.set(own_tid());
    }
}

pub fn describe_process(thread: &Thread, id: u32) {
    let slot = process_slot(id);
    slot.real_pid.store(own_pid(), Ordering::Relaxed);
    if thread.mode == MODE_RECORD {
        slot.pid.set(own_pid());
    }
    // From this the next image after an exec learns that it must leave the domain.
    let shared = process_flags::SHARED_DOMAIN;
    if thread.process().threads.shared_domain.get() {
        slot.flags.fetch_or(shared, Ordering::Relaxed);
    } else {
        slot.flags.fetch_and(!shared, Ordering::Relaxed);
    }
    slot.threads_live.store(1, Ordering::Relaxed);
    slot.state.store(process_state::RUNNING, Ordering::Release);
}

/// Points a thread at the log that belongs to its number.
pub fn open_log(thread: &mut Thread) {
    thread.slot = thread_slot(thread.number);
    if thread.mode == MODE_REPLAY {
        let slot = thread.slot();
        let start = state::at(slot.log_offset.get());
        let position = slot.log_position.load(Ordering::Relaxed);
        // SAFETY: the host laid the log there.
        unsafe {
            thread.replay.cursor = start.add(position as usize);
            thread.replay.end = start.add(slot.log_length.get() as usize);
        }
    }
}

/// The child of a fork: the same memory, another process.
fn become_child(thread: &mut Thread, child: Child) {
    let process = thread.process();
    process.id.set(child.process);
    process.slot.set(process_slot(child.process));
    process.children.next.set(0);
    thread.number = child.thread;
    thread.log.events = 0;
    thread.serial.crossings = Crossings::default();
    thread.log.hash = 0;
    thread.clocks = [0; 16];
    thread.log.sequence = 0;
    thread.log.cursor = core::ptr::null_mut();
    thread.log.limit = core::ptr::null_mut();
    thread.arrivals.pending.store(0, Ordering::Relaxed);
    let tail = thread.arrivals.tail.load(Ordering::Relaxed);
    thread.arrivals.head.store(tail, Ordering::Relaxed);
    thread.preemption.force_timer = 0;
    thread.preemption.look_timer = 0;
    thread.serial.holds_token = false;
    thread.sync = crate::state::order::OFF;
    thread.parallel.keeps = 0;
    thread.parallel.in_event = false;
    thread.parallel.skipped = 0;
    crate::hooks::heap::reset(thread);
    crate::parallel::library::reset(thread);
    crate::hooks::random::reset();
    crate::hooks::regex::reset();
    crate::hooks::fork::reset();
    crate::hooks::thread::reset();
    process.order.count.store(0, Ordering::Relaxed);
    describe_process(thread, child.process);
    describe(thread, child.thread);
    thread.tid = thread_tid(thread, child.thread);
    open_log(thread);
    domain::own_domain(process);
    rearm();
    enter_domain(thread);
}

pub fn thread_tid(thread: &Thread, number: u32) -> u32 {
    if thread.mode == MODE_RECORD {
        own_tid()
    } else {
        thread_slot(number).tid.get()
    }
}

pub fn rearm() {
    let thread = current();
    // SAFETY: a new thread or process has its own state by now, or none.
    let off = unsafe { !thread.is_null() && disarm::starts_off(&mut *thread) };
    if header().flags & (flags::NO_REARM | flags::NO_DISPATCH) == 0 && !off {
        dispatch::arm();
    }
}

/// A thread that has just come to life takes its first turn.
fn enter_domain(thread: &mut Thread) {
    if !thread.process().threads.serial.get() {
        return;
    }
    if thread.process().threads.parallel.get() {
        crate::session::solid::first_turn(thread);
        return;
    }
    if thread.mode == MODE_RECORD {
        token::acquire(thread);
    } else {
        turns::first_turn(thread);
    }
}

/// fork, vfork, clone, clone3 while recording.
#[inline(never)]
pub fn record_clone(thread: &mut Thread, made: &mut Made) -> isize {
    let Some(wishes) = wishes(made.number, &made.arguments) else {
        return -14;
    };
    // SAFETY: the arguments of a clone3 were just read.
    match unsafe { clone::shape(made.number, &made.arguments) } {
        Shape::Vfork => {
            made.frame.retry_as_vfork();
            return made.number.get() as isize;
        }
        Shape::SharedStack => {
            thread.note(record::note::UNSEEN_CLONE, wishes.flags as i64, &[]);
            return -22;
        }
        Shape::Fork | Shape::NewStack => {}
    }
    let is_thread = wishes.flags & CLONE_THREAD != 0;
    if is_thread {
        disarm::before_thread(thread);
        mode::start_serial(thread);
        if !thread.library.makes_thread {
            late::tell(thread, record::threads::THREADS_OF_LIBC);
        }
    }
    let Some(child) = reserve(thread, is_thread) else {
        return ENOMEM;
    };
    announce(thread, made.number, child);
    let result = start_child(thread, made, wishes, child);
    if result == 0 {
        return 0;
    }
    finish_clone(thread, child, is_thread, result);
    result
}

/// Recording: the child is written down before it lives, so that it never outlives its record. The
/// result follows.
pub fn announce(thread: &mut Thread, number: Number, child: Child) {
    thread.emit_with(Head::call(number.word(), 0, 0), &child.encode());
}

/// Makes the clone; 0 in the child of a fork, which is then a process of its own.
fn start_child(thread: &mut Thread, made: &mut Made, wishes: Wishes, child: Child) -> isize {
    // SAFETY: readable, see `record_clone`.
    let shape = unsafe { clone::shape(made.number, &made.arguments) };
    if matches!(shape, Shape::NewStack) {
        return start_with_stack(thread, made, wishes, child);
    }
    let mask = block_signals();
    let mut arguments = *made.arguments;
    let mut fields = [0usize; 11];
    if thread.mode == MODE_REPLAY {
        if made.number == Number::CLONE {
            arguments[0] &= !(CLONE_NAMESPACES | CLONE_PIDFD);
        } else if made.number == Number::CLONE3 {
            let size = arguments[1].min(88);
            // SAFETY: as long as the fields at most.
            unsafe { user::copy_in((&raw mut fields).cast(), made.arguments.address(0), size) };
            fields[0] &= !(CLONE_NAMESPACES | CLONE_PIDFD);
            arguments[0] = (&raw mut fields) as usize;
        }
    }
    // SAFETY: the child gets a copy of this stack and returns from the same call.
    let result = unsafe { crate::calls::record::call_kernel(made.number, &arguments) };
    core::hint::black_box(&fields);
    if result == 0 {
        become_child(thread, child);
        if wishes.flags & CLONE_CHILD_CLEARTID != 0 {
            thread.ending.clear_tid = wishes.child_tid;
        }
        write_tid(
            thread,
            wishes.flags,
            CLONE_CHILD_SETTID,
            wishes.child_tid,
            thread.tid,
        );
    }
    restore_signals(mask);
    result
}

/// Replay: the id that the program saw while it was recorded, in place of the real one.
fn write_tid(thread: &mut Thread, flags: usize, wanted: usize, place: Address, tid: u32) {
    if thread.mode == MODE_REPLAY && flags & wanted != 0 {
        // SAFETY: the flag says that the program wants the id there.
        unsafe { user::write(place, tid) };
    }
}

/// A thread, or a child that borrows our memory until it execs (posix_spawn).
fn start_with_stack(thread: &mut Thread, made: &mut Made, wishes: Wishes, child: Child) -> isize {
    let is_thread = wishes.flags & CLONE_THREAD != 0;
    let born = prepare_thread(thread, child, is_thread);
    if born.is_null() {
        return ENOMEM;
    }
    if is_thread {
        let live = &thread.process().slot().threads_live;
        live.fetch_add(1, Ordering::AcqRel);
    }
    // SAFETY: prepared above, not running yet.
    unsafe {
        if wishes.flags & CLONE_CHILD_CLEARTID != 0 {
            (*born).ending.clear_tid = wishes.child_tid;
        }
        (*born).signals.clear_handlers = wishes.flags & CLONE_CLEAR_SIGHAND != 0;
        if thread.mode == MODE_REPLAY {
            (*born).vfork.return_address = wishes.parent_tid.number() as u64;
            (*born).vfork.number = wishes.flags as u32;
        }
        let result =
            clone::clone_with_stack(made.frame, made.number, *made.arguments, born as usize);
        if !is_thread {
            // The child had our thread-local storage until it went its own way.
            tls::set(core::ptr::from_mut(thread).cast());
            release_borrowed(born);
        } else if result < 0 {
            let live = &thread.process().slot().threads_live;
            live.fetch_sub(1, Ordering::AcqRel);
        }
        result
    }
}

pub fn prepare_thread(thread: &mut Thread, child: Child, is_thread: bool) -> *mut Thread {
    windows::unmap_many(thread.process());
    // SAFETY: the numbers were just taken; the windows belong to nothing else.
    unsafe {
        let born = new_thread(child.thread);
        if born.is_null() {
            return born;
        }
        (*born).mode = thread.mode;
        (*born).number = child.thread;
        (*born).slot = thread_slot(child.thread);
        if is_thread {
            (*born).process = thread.process;
            mode::adopt(&mut *born);
            crate::session::solid::born(thread, child.thread);
            return born;
        }
        let process = new_process(child.process);
        if process.is_null() {
            return core::ptr::null_mut();
        }
        let parent = thread.process();
        (*process).id.set(child.process);
        (*process).slot.set(process_slot(child.process));
        (*process).borrowed.set(true);
        (*process).counter_faults.set(parent.counter_faults.get());
        for (action, inherited) in (*process)
            .signals
            .actions
            .iter()
            .zip(&parent.signals.actions)
        {
            action.set(inherited.get());
        }
        (*process)
            .signals
            .actions_known
            .set(parent.signals.actions_known.get());
        (*process).copy_entries(parent);
        (*process).token.set(&raw const (*process).slot().token);
        (*born).process = process;
        born
    }
}

/// Gives back what a borrowing child used, once it is gone.
///
/// # Safety
/// The child must have left this address space.
pub unsafe fn release_borrowed(born: *mut Thread) {
    // SAFETY: the child has left this address space.
    unsafe {
        let (address, length) = room_window((*(*born).process).id.get());
        drop_window(address, length);
        let (address, length) = process_window((*born).process);
        drop_window(address, length);
        let (address, length) = thread_window(born);
        drop_window(address, length);
    }
}

/// The parent after a clone: the record, and what it must remember.
pub fn finish_clone(thread: &mut Thread, child: Child, is_thread: bool, result: isize) {
    if thread.mode == MODE_RECORD {
        thread.emit_result(result as i64);
    }
    if result > 0 && !is_thread {
        remember_child(thread.process(), result as u32, child.process);
    }
}

/// First thing in a new thread or borrowing child.
///
/// # Safety
/// Called by the entrance with the cookie of [`start_with_stack`].
pub unsafe extern "C" fn child_started(cookie: usize, _frame: *mut Frame) {
    if cookie == 0 {
        return;
    }
    // SAFETY: the cookie is the prepared thread.
    let thread = unsafe { &mut *(cookie as *mut Thread) };
    if thread.process().borrowed.get() {
        thread.vfork.lender = current();
        tls::set(cookie as *mut u8);
        describe_process(thread, thread.process().id.get());
    } else {
        tls::set(cookie as *mut u8);
    }
    if thread.signals.clear_handlers {
        faults::install();
        dispatch::install_handler();
        crate::signals::force::install(thread.process());
    }
    describe(thread, thread.number);
    thread.tid = thread_tid(thread, thread.number);
    open_log(thread);
    if thread.mode == MODE_REPLAY {
        let (flags, parent_tid, tid) = (
            thread.vfork.number as usize,
            Address::new(thread.vfork.return_address as usize),
            thread.tid,
        );
        write_tid(thread, flags, CLONE_PARENT_SETTID, parent_tid, tid);
        let child_tid = thread.ending.clear_tid;
        write_tid(thread, flags, CLONE_CHILD_SETTID, child_tid, tid);
    }
    rearm();
    enter_domain(thread);
    crate::hooks::thread::started(thread);
    if thread.mode == MODE_REPLAY {
        ahead::after(thread);
    }
}

/// Replay of fork, clone, clone3.
#[inline(never)]
pub fn replay_clone(thread: &mut Thread, made: &mut Made) -> isize {
    let Some(wishes) = wishes(made.number, &made.arguments) else {
        return -14;
    };
    // SAFETY: the arguments of a clone3 were just read.
    match unsafe { clone::shape(made.number, &made.arguments) } {
        Shape::Vfork => {
            made.frame.retry_as_vfork();
            return made.number.get() as isize;
        }
        Shape::SharedStack => return -22,
        Shape::Fork | Shape::NewStack => {}
    }
    let is_thread = wishes.flags & CLONE_THREAD != 0;
    if is_thread {
        replay::settle(thread, Some(made.frame));
        mode::start_serial(thread);
    }
    let Some((promised, child)) = promised_child(thread, made) else {
        return ENOMEM;
    };
    if promised <= 0 || is_skipped(child) {
        return promised;
    }
    let result = start_child(thread, made, wishes, child);
    if result == 0 {
        return 0;
    }
    if result < 0 {
        diverge::details([(-result) as u64, 0, 0, 0]);
        diverge::report(
            thread,
            divergence::CLONE_FAILED,
            made.number.word() as i64,
            0,
            &made.arguments,
            None,
        );
    }
    finish_clone(thread, child, is_thread, promised);
    write_tid(
        thread,
        wishes.flags,
        CLONE_PARENT_SETTID,
        wishes.parent_tid,
        promised as u32,
    );
    promised
}

/// Result and numbers that the log promises for a clone.
pub fn promised_child(thread: &mut Thread, made: &mut Made) -> Option<(isize, Child)> {
    let next = replay::expect(thread, made, record::SYSCALL);
    reader::advance(thread, next.length);
    thread.count_event();
    let child = Child::decode(next.payload).unwrap_or_default();
    // Killed before it knew: the child lives all the same, under the id that it has itself.
    let unknown = || i64::from(thread_slot(child.thread).tid.get());
    let result = replay::take_result(thread).unwrap_or_else(unknown);
    Some((result as isize, child))
}
