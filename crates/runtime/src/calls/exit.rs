//! The end of a thread or process, both modes.
//!
//! # The end of a thread is made by us
//!
//! The kernel clears the thread id and marks robust mutexes at a moment that cannot be ordered. The
//! runtime does both while the thread still has its turn, in both modes. For the same reason
//! mutexes are initialised without priority inheritance: the kernel would write into them while
//! their owner runs.
//!
//! # The end of a process keeps the standard output
//!
//! libc empties the buffers of its streams without their locks, in the last step of `exit`. Other
//! threads may still print then. So a process that ends by `exit` keeps the standard output to
//! itself, from our own exit handler on, which is the last that is called. A thread that has the
//! output at that moment is waited for, 50 ms at most.

use crate::calls::output;
use crate::calls::record::Made;
use crate::calls::replay::{expect, other_output};
use crate::kernel::mask::{block_all_signals, block_signals};
use crate::log::reader;
use crate::memory::hash;
use crate::memory::user;
use crate::parallel::insides;
use crate::parallel::robust;
use crate::serial::token;
use crate::session::diverge;
use crate::session::futex;
use crate::state::windows;
use crate::state::word::Word;
use crate::state::{Thread, thread_window};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{MODE_RECORD, MODE_REPLAY, divergence, process_state};
use wayfarer_runtime_abi::record::{self, Head, sync};

/// exit and exit_group, recorded.
#[inline(never)]
pub fn record_exit(thread: &mut Thread, made: &mut Made) -> isize {
    let only_thread = ends_only_thread(thread, made);
    let check = hash::fold(thread.log.hash);
    if !only_thread {
        finals(thread);
    }
    let value = i64::from(made.arguments[0] as u32);
    thread.emit(Head::new(record::EXIT, made.number.word(), check, value));
    end(thread, made, only_thread)
}

/// exit and exit_group in a replay.
#[inline(never)]
pub fn replay_exit(thread: &mut Thread, made: &mut Made) -> isize {
    let only_thread = ends_only_thread(thread, made);
    let check = hash::fold(thread.log.hash);
    expect_exit(thread, made, check);
    end(thread, made, only_thread)
}

/// Compares the end with the promise.
fn expect_exit(thread: &mut Thread, made: &mut Made, check: u8) {
    let next = expect(thread, made, record::EXIT);
    if next.value != i64::from(made.arguments[0] as u32) {
        diverge::report(
            thread,
            divergence::OTHER_ARGUMENTS,
            made.number.word() as i64,
            check,
            &made.arguments,
            Some(&next),
        );
    }
    if next.check != check {
        other_output(thread, made, check, &next);
    }
    reader::advance(thread, next.length);
    thread.count_event();
}

/// Whether one thread of several ends, not the process.
fn ends_only_thread(thread: &Thread, made: &Made) -> bool {
    let slot = thread.process().slot();
    made.number == Number::EXIT && slot.threads_live.load(Ordering::Acquire) > 1
}

/// Both modes: the thread or its process ends, after that was written down or compared.
fn end(thread: &mut Thread, made: &Made, only_thread: bool) -> ! {
    let code = made.arguments[0] as u32 & 0xff;
    let slot = thread.process().slot();
    block_signals();
    robust::release(thread);
    if only_thread {
        slot.threads_live.fetch_sub(1, Ordering::AcqRel);
        leave(thread, made.arguments[0]);
    }
    slot.status.store(code << 8, Ordering::Relaxed);
    slot.state.store(process_state::EXITED, Ordering::Release);
    if thread.mode == MODE_REPLAY {
        futex::wake(&slot.state, u32::MAX >> 1);
    }
    if thread.process().threads.shared_domain.get() {
        token::leave(thread);
    }
    if thread.mode == MODE_RECORD && slot.threads_live.load(Ordering::Acquire) > 1 {
        output::finish_outputs(thread.number);
    }
    // SAFETY: ends the process.
    unsafe { raw::syscall6(Number::EXIT_GROUP, made.arguments[0], 0, 0, 0, 0, 0) };
    futex::rest()
}

/// The process ends: how long the last run of each sync object was.
fn finals(thread: &mut Thread) {
    if thread.sync != crate::state::order::RECORD {
        return;
    }
    let process = thread.process();
    let count = process.order.count.load(Ordering::Acquire) as usize;
    let events = (&raw const process.order.events) as usize;
    for object in process.order.objects.iter().take(count) {
        let [described, place, tail] = object.each_ref().map(Word::get);
        let (number, kind) = (described as u32, (described >> 32) as u8);
        // The order of events goes on: the end is one.
        if place != 0
            && place != events
            && let Some(word) = user::read::<u64>(Address::new(place))
            && let Some(tail) = user::read::<u64>(Address::new(tail))
            && let Some(word) = crate::parallel::order::word_of(word, tail, number)
        {
            if kind == sync::SEMAPHORE
                && let Some(posts) = user::read::<u32>(Address::new(insides::posts_beside(place)))
            {
                crate::parallel::order::emit_posts(thread, number, posts);
            }
            crate::parallel::order::emit_final(thread, number, word);
        }
    }
}

/// One thread of several leaves. What the kernel would do at the very end (clear the thread id, wake who
/// joins) is done while the thread still has its turn, so that a replay sees it at the same place.
fn leave(thread: &mut Thread, code: usize) -> ! {
    let process = thread.process();
    let (mut word, mut value) = (0usize, 0u32);
    if thread.serial.holds_token {
        // SAFETY: points into the session mapping.
        unsafe {
            if thread.mode == MODE_RECORD {
                word = (&raw const (*process.token.get()).state) as usize;
            } else {
                word = (&raw const (*process.token.get()).turn) as usize;
                value = thread.serial.turn.wrapping_add(1);
            }
        }
    }
    crate::hooks::heap::leave_for_good(thread);
    let last = crate::hooks::thread::last_leave(thread).unwrap_or((0, 0));
    if thread.parallel.in_event {
        let events = &thread.process().order.events;
        if let Some((place, number)) = crate::parallel::runs::last_pass(events.order()) {
            (word, value) = (place, number);
        }
    }
    let turn = crate::session::solid::leave(thread).unwrap_or((0, 0));
    thread.slot().real_tid.store(0, Ordering::Release);
    let place = windows::claim(process, thread.number);
    let (window, length) = match place {
        Some(_) => (0, 0),
        None => thread_window(thread),
    };
    let place = place.map_or(0, |place| core::ptr::from_ref(place) as usize);
    // A signal from here on would find no stack to be handled on.
    block_all_signals();
    crate::serial::timers::drop_timers(thread);
    // SAFETY: the routine keeps everything in registers: neither the stack nor the window is used after
    // the program may have given them away.
    unsafe {
        raw::syscall6(Number::SET_TID_ADDRESS, 0, 0, 0, 0, 0, 0);
        leave_thread(
            thread.ending.clear_tid.number(),
            word,
            value as usize,
            code,
            window,
            length,
            last.0,
            last.1 as usize,
            turn.0,
            turn.1 as usize,
            place,
            thread.number as usize,
        )
    }
}

unsafe extern "C" {
    fn leave_thread(
        clear_tid: usize,
        word: usize,
        value: usize,
        code: usize,
        window: usize,
        length: usize,
        last_word: usize,
        last_value: usize,
        turn_word: usize,
        turn_value: usize,
        ended_word: usize,
        ended_number: usize,
    ) -> !;
}

core::arch::global_asm!(
    ".pushsection .text.leave_thread,\"ax\",@progbits",
    ".globl leave_thread",
    ".hidden leave_thread",
    ".type leave_thread,@function",
    "leave_thread:",
    "mov rbx, [rsp + 8]",
    "mov rbp, [rsp + 16]",
    "mov r12, rdi",
    "mov r13, rsi",
    "mov r14, rdx",
    "mov r15, rcx",
    "mov rdi, r8",
    "mov rsi, r9",
    // None of the calls below looks at these or changes them.
    "mov r8, [rsp + 24]",
    "mov r9, [rsp + 32]",
    "mov r10, [rsp + 40]",
    "mov rdx, [rsp + 48]",
    "test rdi, rdi",
    "jz 2f",
    // munmap(window, length)
    "mov eax, {munmap}",
    "syscall",
    "2:",
    // All is given away before any thread is woken: one that joins this thread finds nothing else to wait for.
    "test r12, r12",
    "jz 2f",
    "mov dword ptr [r12], 0",
    "2:",
    "test r13, r13",
    "jz 3f",
    "mov dword ptr [r13], r14d",
    "3:",
    "test rbx, rbx",
    "jz 4f",
    "mov dword ptr [rbx], ebp",
    "4:",
    "test r8, r8",
    "jz 5f",
    "mov dword ptr [r8], r9d",
    "5:",
    "test r10, r10",
    "jz 2f",
    "mov dword ptr [r10], edx",
    "2:",
    // futex(each of them, FUTEX_WAKE, all). The memory may have been given back by now: then no thread is there to wake.
    "mov esi, 1",
    "mov edx, 0x7fffffff",
    "xor r10d, r10d",
    "test r12, r12",
    "jz 2f",
    "mov eax, {futex}",
    "mov rdi, r12",
    "syscall",
    "2:",
    "test r13, r13",
    "jz 3f",
    "mov eax, {futex}",
    "mov rdi, r13",
    "syscall",
    "3:",
    "test rbx, rbx",
    "jz 4f",
    "mov eax, {futex}",
    "mov rdi, rbx",
    "syscall",
    "4:",
    "test r8, r8",
    "jz 5f",
    "mov eax, {futex}",
    "mov rdi, r8",
    "syscall",
    "5:",
    "mov eax, {exit}",
    "mov rdi, r15",
    "syscall",
    "ud2",
    ".size leave_thread, . - leave_thread",
    ".popsection",
    munmap = const Number::MUNMAP.get(),
    futex = const Number::FUTEX.get(),
    exit = const Number::EXIT.get(),
);
