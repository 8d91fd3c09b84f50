//! The output that the session inherited: what all processes write to it comes in one order.

use crate::calls::bytes;
use crate::calls::descriptors;
use crate::calls::outputs::EINTR;
use crate::calls::record::{Made, plain};
use crate::calls::source::{self, prepare};
use crate::kernel::mask;
use crate::memory::user;
use crate::serial::token;
use crate::session::clocks;
use crate::session::futex;
use crate::session::wait;
use crate::signals::delivery;
use crate::signals::queue;
use crate::state::{Thread, header, take};
use core::mem::MaybeUninit;
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Arguments};
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::encode::get_varint;
use wayfarer_runtime_abi::layout::{flags, waiting};
use wayfarer_runtime_abi::record::{self, Head, Record};

/// How long a writer waits for another one that holds the output, in nanoseconds, before it goes ahead regardless.
const OUTPUT_PATIENCE: u64 = 100_000_000;

/// As much as libc keeps in a buffer.
pub type Block = MaybeUninit<[u8; 4096]>;

/// Both modes: what a thread writes to the output is what it had in its turn, though others have theirs before it comes to
/// that, and may use the same buffer, as libc does at the end of a process. Where to find a copy of it, or else itself.
pub fn copied(thread: &Thread, made: &Made, length: usize, copy: &mut Block) -> Address {
    let from = made.arguments.address(1);
    let fits = length <= size_of::<Block>() && made.number == Number::WRITE;
    // SAFETY: it fits.
    let copied =
        |copy: &mut Block| unsafe { user::copy_in(copy.as_mut_ptr().cast(), from, length) };
    if fits && thread.serial.holds_token && copied(copy) {
        Address::new(copy.as_ptr() as usize)
    } else {
        from
    }
}

/// Writes to the output that the session inherited: in one order for all processes. The token is let go
/// before the output is locked and taken back after, so that nobody waits for one with the other in
/// hand. Not part of the way of every call, whose stack it would make longer.
#[inline(never)]
pub fn record_output(thread: &mut Thread, made: &mut Made) -> isize {
    let mut arguments = *made.arguments;
    let mut copy = Block::uninit();
    loop {
        let Some((check, length)) = prepare(thread, made) else {
            return plain(thread, made);
        };
        let before = thread.serial.turn;
        arguments[1] = copied(thread, made, length, &mut copy).number();
        token::let_go(thread);
        lock_output(thread.number, true);
        let place = take(&header().output_turn);
        let head = Head::new(record::OUTPUT, made.number.word(), check, length as i64);
        let announced = thread.announce(head, Some(place));
        // SAFETY: the program's own call.
        let result = unsafe {
            raw::syscall_interruptible(
                made.number,
                &arguments,
                (&raw const thread.arrivals.pending).cast(),
            )
        };
        if announced && result == length as isize {
            thread.went_out();
        }
        unlock_output(thread.number);
        token::take_back(thread, announced);
        if result == length as isize && thread.serial.turn == before {
            return result;
        }
        if result == EINTR
            && (thread.arrivals.pending.load(Ordering::Relaxed) == 0 || queue::all_restart(thread))
        {
            thread.emit_result(record::RESTARTED);
            delivery::deliver(thread, made.frame, record::place::RESTART);
            continue;
        }
        thread.emit_result(result as i64);
        return result;
    }
}

/// `gets_on`: time in which the others get on does not count.
fn lock_output(me: u32, gets_on: bool) {
    let head = header();
    let (mut seen, mut since) = (0, 0);
    while head
        .output_lock
        .compare_exchange(0, me, Ordering::AcqRel, Ordering::Relaxed)
        .is_err()
    {
        let holder = head.output_lock.load(Ordering::Relaxed);
        let turn = head.output_turn.load(Ordering::Relaxed);
        let now = clocks::time();
        if since == 0 || gets_on && seen != turn {
            (seen, since) = (turn, now);
        } else if holder != 0 && now.wrapping_sub(since) > OUTPUT_PATIENCE {
            // The holder is stopped or dead, or the reader is slow: order is no longer certain.
            return;
        }
        if holder != 0 {
            futex::wait(&head.output_lock, holder, 5);
        }
    }
}

/// Recording: the process is about to end. Whoever writes to the output finishes that first, so that the log knows of each
/// write whether it was made; nobody is woken to begin another.
pub fn finish_outputs(me: u32) {
    lock_output(me, false);
    let (held, then) = (Ordering::AcqRel, Ordering::Relaxed);
    let _ = header().output_lock.compare_exchange(me, 0, held, then);
}

fn unlock_output(me: u32) {
    let head = header();
    if head
        .output_lock
        .compare_exchange(me, 0, Ordering::AcqRel, Ordering::Relaxed)
        .is_ok()
    {
        futex::wake(&head.output_lock, 1);
    }
}

/// Writes to the output of the session when it is this write's turn.
pub fn replay_output(
    thread: &mut Thread,
    number: Number,
    arguments: &Arguments,
    record: &Record<'static>,
    length: usize,
) {
    let turn = get_varint(record.payload, 0).map_or(0, |(turn, _)| turn as u32);
    let head = header();
    let in_order = head.flags & flags::ONLY == 0;
    if in_order {
        wait::until(
            thread,
            waiting::OUTPUT,
            u64::from(turn),
            &head.output_turn,
            || head.output_turn.load(Ordering::Acquire) >= turn,
        );
    }
    let entry = thread.process().entry(arguments[0]);
    let descriptor = if entry == descriptors::STANDARD_ERROR {
        2
    } else {
        1
    };
    let shown_before = turn < head.shown_before.load(Ordering::Relaxed);
    if length > 0
        && !shown_before
        && let Some(source) = source::source(number, arguments)
    {
        // Whoever looked may look no longer: that is no difference.
        mask::without_broken_pipes(|| bytes::write_out(descriptor, source, length));
    }
    if in_order {
        head.output_turn
            .store(turn.wrapping_add(1), Ordering::Release);
        futex::wake(&head.output_turn, u32::MAX >> 1);
    }
}
