//! Bytes between processes of the set: their order while recording, the bytes themselves in a replay.
//!
//! A direction of an object is *exclusive* while one thread writes it and one thread reads it, both
//! inside the set. Then a read needs only its count: the bytes are those that the writer will write
//! again. As soon as a second writer or reader appears, or somebody whom we cannot see, contents are
//! logged from there on. The flag is set before the second one's call, so no byte can slip through.

use crate::calls::check;
use crate::calls::descriptors::{OUTPUT_OBJECT, give_up_tracking};
use crate::calls::draft;
use crate::calls::outputs::{self, EINTR};
use crate::calls::record::{EINVAL, Made, contents_all, perform, plain, write_down};
use crate::calls::writethrough;
use crate::log::RECORD_HEAD;
use crate::program::user;
use crate::serial::token;
use crate::serial::watch;
use crate::session::futex;
use crate::signals;
use crate::state::{Thread, header, object, take};
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::encode::put_varint;
use wayfarer_runtime_abi::layout::{MAX_OBJECTS, Object, object_flags, object_kind};
use wayfarer_runtime_abi::record;

/// The flag of a direction whose contents are logged.
#[inline(always)]
pub fn contents_flag(direction: u32) -> u32 {
    object_flags::CONTENTS_0 << direction
}

#[inline(always)]
pub fn direction(
    object: &'static Object,
    direction: u32,
) -> &'static wayfarer_runtime_abi::layout::Direction {
    // SAFETY: a direction is 0 or 1.
    unsafe { object.directions.get_unchecked((direction & 1) as usize) }
}

/// Flags of a receive that takes bytes in order and nothing else: DONTWAIT, WAITALL, NOSIGNAL,
/// CMSG_CLOEXEC.
const PLAIN_RECEIVE: usize = 0x40 | 0x100 | 0x4000 | 0x4000_0000;
/// Flags of a send that gives bytes in order: DONTWAIT, NOSIGNAL, MORE, DONTROUTE.
const PLAIN_SEND: usize = 0x40 | 0x4000 | 0x8000 | 0x4;

/// Whether a read-like call takes the next bytes of a stream and tells nothing else.
pub fn is_plain_read(number: usize, arguments: &[usize; 6]) -> bool {
    match number {
        0 | 19 => true,
        45 => arguments[4] == 0 && arguments[3] & !PLAIN_RECEIVE == 0,
        _ => false,
    }
}

fn is_plain_write(number: usize, arguments: &[usize; 6]) -> bool {
    match number {
        1 | 20 => true,
        44 => arguments[4] == 0 && arguments[3] & !PLAIN_SEND == 0,
        46 => arguments[2] & !PLAIN_SEND == 0,
        _ => false,
    }
}

/// Where the bytes of a write-like call lie: one piece, or an array of pieces.
#[derive(Clone, Copy)]
pub enum Source {
    Piece(usize, usize),
    Vector(usize, usize),
}

/// The bytes that a write-like call gives away; `None` on a bad pointer.
pub fn source(number: usize, arguments: &[usize; 6]) -> Option<Source> {
    match number {
        1 | 18 | 44 => Some(Source::Piece(arguments[1], arguments[2])),
        20 | 296 | 328 => Some(Source::Vector(arguments[1], arguments[2])),
        46 => {
            let vector = user::read::<[usize; 2]>(arguments[1].wrapping_add(16))?;
            Some(Source::Vector(vector[0], vector[1]))
        }
        _ => None,
    }
}

/// Length of all pieces; `None` on a bad pointer.
pub fn source_length(source: Source) -> Option<usize> {
    match source {
        Source::Piece(_, length) => Some(length),
        Source::Vector(array, count) => {
            let mut total = 0usize;
            let mut index = 0;
            while index < count && index < 1024 {
                total = total.wrapping_add(user::read::<[usize; 2]>(array + index * 16)?[1]);
                index += 1;
            }
            Some(total)
        }
    }
}

/// How much of a pre-committed write is looked at; the reader of a stream notices the rest.
const HASH_LIMIT: usize = 256 * 1024;

/// Goes on with the thread's running checksum over the first `length` bytes.
pub fn hash_source(thread: &mut Thread, source: Source, length: usize) -> u8 {
    let one;
    let (array, count) = match source {
        Source::Piece(pointer, length) => {
            one = [pointer, length];
            (&raw const one, 1)
        }
        Source::Vector(array, count) => (array as *const [usize; 2], count),
    };
    let hash = check::mix(thread.log.hash, length as u64);
    let hash = user::hash_pieces(thread, hash, array, count, length.min(HASH_LIMIT));
    thread.log.hash = hash;
    check::fold(hash)
}

/// Makes this thread the reader (or writer) of a direction, or gives up its exclusiveness.
#[inline(always)]
fn claim(thread: &Thread, object: &Object, owner: &core::sync::atomic::AtomicU32, flag: u32) {
    let now = owner.load(Ordering::Acquire);
    if now == thread.number {
        return;
    }
    if now == 0
        && owner
            .compare_exchange(0, thread.number, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    {
        return;
    }
    object.flags.fetch_or(flag, Ordering::AcqRel);
}

/// A direction of a stream that a call reads from.
#[derive(Clone, Copy)]
pub struct Incoming {
    object: &'static Object,
    flag: u32,
}

impl Incoming {
    /// What a read-like call takes its bytes from; `None` if its contents are logged whatever it is.
    #[inline]
    pub fn claim(thread: &Thread, made: &Made) -> Option<Incoming> {
        let plain = is_plain_read(made.number, &made.arguments);
        Self::of(thread, made.arguments[0], plain)
    }

    /// The same for a descriptor; `plain`: the call takes the next bytes and tells nothing else.
    #[inline(always)]
    pub fn of(thread: &Thread, descriptor: usize, plain: bool) -> Option<Incoming> {
        let entry = thread.process().entry(descriptor);
        if entry >> 1 <= OUTPUT_OBJECT {
            return None;
        }
        let object = object(entry >> 1);
        let way = 1 - (entry & 1);
        let flag = contents_flag(way);
        if !plain {
            object.flags.fetch_or(flag, Ordering::AcqRel);
            return None;
        }
        claim(thread, object, &direction(object, way).reader, flag);
        Some(Incoming { object, flag })
    }

    /// Whether the count is enough: the bytes are those that the writer will write again.
    #[inline]
    pub fn is_exclusive(self) -> bool {
        let flags = self.object.flags.load(Ordering::Acquire);
        flags & (self.flag | object_flags::BOTH) == object_flags::BOTH && !contents_all()
    }
}

#[inline]
pub fn record_read(thread: &mut Thread, made: &mut Made) -> isize {
    let Some(incoming) = Incoming::claim(thread, made) else {
        return plain(thread, made);
    };
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let arguments = made.arguments;
    let result = perform(thread, made, &arguments);
    write_read(thread, made, result, incoming);
    result
}

/// Writes down a call that took bytes from a stream.
pub fn write_read(thread: &mut Thread, made: &Made, result: isize, incoming: Incoming) {
    if result > 0 && incoming.is_exclusive() {
        thread.emit(
            record::RECEIVE,
            made.number as u64,
            made.check,
            result as u64,
        );
    } else {
        write_down(thread, made, result, outputs::Before::default(), &[]);
    }
}

/// recvmsg and recvmmsg: descriptors may come with the bytes.
#[inline(never)]
pub fn record_message(thread: &mut Thread, made: &mut Made) -> isize {
    let entry = thread.process().entry(made.arguments[0]);
    if entry >> 1 > OUTPUT_OBJECT {
        object(entry >> 1)
            .flags
            .fetch_or(contents_flag(1 - (entry & 1)), Ordering::AcqRel);
    }
    let result = plain(thread, made);
    // Descriptors that came with the bytes may reuse numbers; nothing is known about them.
    if result >= 0 && made.number == 47 {
        forget_received(thread, made.arguments[1]);
    }
    result
}

/// Clears the entries of descriptors that arrived in the control data of a message.
pub fn forget_received(thread: &mut Thread, message: usize) {
    let Some(control) = user::read::<[usize; 2]>(message.wrapping_add(32)) else {
        return;
    };
    each_passed(thread, control[0], control[1], |thread, descriptor| {
        thread.process().set_entry(descriptor as usize, 0);
    });
}

/// Visits each descriptor in SCM_RIGHTS control data.
fn each_passed(
    thread: &mut Thread,
    control: usize,
    length: usize,
    visit: impl Fn(&mut Thread, u32),
) {
    let mut position = 0;
    while control != 0 && position + 16 <= length {
        let Some(head) = user::read::<[u64; 2]>(control + position) else {
            return;
        };
        let size = head[0] as usize;
        if size < 16 || size > length - position {
            return;
        }
        // SOL_SOCKET, SCM_RIGHTS.
        if head[1] == 1 | 1 << 32 {
            let mut at = 16;
            while at + 4 <= size {
                if let Some(descriptor) = user::read::<u32>(control + position + at) {
                    visit(thread, descriptor);
                }
                at += 4;
            }
        }
        position += (size + 7) & !7;
    }
}

#[inline]
pub fn record_write(thread: &mut Thread, made: &mut Made) -> isize {
    let entry = thread.process().entry(made.arguments[0]);
    let number = made.number;
    if number == 307 || (number == 46 && has_control(made.arguments[1])) {
        give_away_descriptors(thread, made);
    }
    if entry >> 1 == OUTPUT_OBJECT && matches!(number, 1 | 20 | 44) {
        return record_output(thread, made);
    }
    if entry >> 1 > OUTPUT_OBJECT {
        let object = object(entry >> 1);
        let way = entry & 1;
        let flag = contents_flag(way);
        if is_plain_write(number, &made.arguments) {
            claim(thread, object, &direction(object, way).writer, flag);
            if object.flags.load(Ordering::Acquire) & flag == 0 {
                return record_send(thread, made, record::SEND);
            }
        } else {
            object.flags.fetch_or(flag, Ordering::AcqRel);
        }
    }
    let result = draft::perform(thread, made);
    if result > 0
        && let Some(source) = source(number, &made.arguments)
    {
        made.check ^= hash_source(thread, source, result as usize);
    }
    if result > 0
        && let Some((address, length)) = written_through(thread, made, result as usize)
    {
        write_through(thread, made, result, address, length);
        return result;
    }
    if made.call.piece.unit != 0 {
        thread.emit_call(number as u64, made.check, result as i64);
    } else {
        write_down(thread, made, result, outputs::Before::default(), &[]);
    }
    result
}

/// Memory of the program that a write to a file has changed: address and length.
fn written_through(thread: &Thread, made: &Made, count: usize) -> Option<(usize, usize)> {
    let end = match made.number {
        1 | 20 => None,
        18 | 296 => Some(made.arguments[3] as u64 + count as u64),
        _ => return None,
    };
    writethrough::changed(thread, made.arguments[0], count, end)
}

/// The record of such a write: address (8 bytes), then the bytes.
fn write_through(thread: &mut Thread, made: &Made, result: isize, address: usize, length: usize) {
    thread.order_event();
    let place = thread.room(RECORD_HEAD + 8 + length);
    if place.is_null() {
        return;
    }
    // SAFETY: room was made; the memory is mapped shared, the kernel has just changed it.
    unsafe {
        let tag = record::SYSCALL | record::PAYLOAD;
        let value = wayfarer_runtime_abi::encode::zigzag(result as i64);
        let place = Thread::put_head(place, tag, made.number as u64, made.check, value);
        let place = put_varint(place, 8 + length as u64);
        place.cast::<u64>().write_unaligned(address as u64);
        core::ptr::copy_nonoverlapping(address as *const u8, place.add(8), length);
        thread.commit(place.add(8 + length));
    }
    thread.count_event();
}

/// Whether a message has more to it than bytes, or cannot be read.
#[inline(always)]
fn has_control(message: usize) -> bool {
    user::read::<usize>(message.wrapping_add(40)) != Some(0)
}

/// Descriptors that travel to another process: what they stand for is tracked no more.
pub fn give_away_descriptors(thread: &mut Thread, made: &Made) {
    let count = if made.number == 307 {
        made.arguments[2].min(1024)
    } else {
        1
    };
    let mut index = 0;
    while index < count {
        let head = made.arguments[1].wrapping_add(index * 64);
        if let Some(control) = user::read::<[usize; 2]>(head.wrapping_add(32)) {
            each_passed(thread, control[0], control[1], |thread, descriptor| {
                let entry = thread.process().entry(descriptor as usize);
                if entry != 0 {
                    give_up_tracking(entry);
                }
            });
        }
        index += 1;
    }
}

/// Gives bytes to a stream: the record comes first, so that no receive can outlive its send.
fn record_send(thread: &mut Thread, made: &mut Made, tag: u8) -> isize {
    let number = made.number;
    let arguments = made.arguments;
    loop {
        let Some((check, length)) = prepare(thread, made) else {
            return plain(thread, made);
        };
        let before = thread.serial.turn;
        let announced = thread.announce(tag, number as u64, check, length as u64, None);
        token::let_go(thread);
        let result = loop {
            // SAFETY: the program's own call.
            let result = unsafe {
                raw::syscall_interruptible(
                    number,
                    &arguments,
                    (&raw const thread.arrivals.pending).cast(),
                )
            };
            if result != EINTR || thread.arrivals.pending.load(Ordering::Relaxed) != 0 {
                break result;
            }
        };
        token::take_back(thread, announced);
        // A turn between a record and its result must be told from one before the next record.
        if result == length as isize && thread.serial.turn == before {
            return result;
        }
        if result == EINTR && signals::all_restart(thread) {
            thread.emit_result(record::RESTARTED);
            signals::deliver(thread, made.frame, record::place::RESTART);
            continue;
        }
        thread.emit_result(result as i64);
        return result;
    }
}

/// Check byte and length of a call that gives bytes away; `None` on a bad pointer.
pub fn prepare(thread: &mut Thread, made: &Made) -> Option<(u8, usize)> {
    let source = source(made.number, &made.arguments)?;
    let length = source_length(source)?;
    let check = check::arguments(thread, made.call, made.number, &made.arguments);
    Some((check ^ hash_source(thread, source, length), length))
}

/// How long a writer waits for another one that holds the output, in nanoseconds, before it goes ahead regardless.
const OUTPUT_PATIENCE: u64 = 100_000_000;

/// As much as libc keeps in a buffer.
pub type Block = MaybeUninit<[u8; 4096]>;

/// Both modes: what a thread writes to the output is what it had in its turn, though others have theirs before it comes to
/// that, and may use the same buffer, as libc does at the end of a process. Where to find a copy of it, or else itself.
pub fn copied(thread: &Thread, made: &Made, length: usize, copy: &mut Block) -> usize {
    const WRITE: usize = 1;
    let from = made.arguments[1];
    let fits = length <= size_of::<Block>() && made.number == WRITE;
    if fits && thread.serial.holds_token && user::copy_in(copy.as_mut_ptr().cast(), from, length) {
        copy.as_ptr() as usize
    } else {
        from
    }
}

/// Writes to the output that the session inherited: in one order for all processes. The token is let go
/// before the output is locked and taken back after, so that nobody waits for one with the other in
/// hand. Not part of the way of every call, whose stack it would make longer.
#[inline(never)]
fn record_output(thread: &mut Thread, made: &mut Made) -> isize {
    let mut arguments = made.arguments;
    let mut copy = Block::uninit();
    loop {
        let Some((check, length)) = prepare(thread, made) else {
            return plain(thread, made);
        };
        let before = thread.serial.turn;
        arguments[1] = copied(thread, made, length, &mut copy);
        token::let_go(thread);
        lock_output(thread.number, true);
        let place = take(&header().output_turn);
        let (number, length) = (made.number as u64, length as u64);
        let announced = thread.announce(record::OUTPUT, number, check, length, Some(place));
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
            && (thread.arrivals.pending.load(Ordering::Relaxed) == 0
                || signals::all_restart(thread))
        {
            thread.emit_result(record::RESTARTED);
            signals::deliver(thread, made.frame, record::place::RESTART);
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
        let now = watch::time();
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

/// sendfile, splice, tee, vmsplice, copy_file_range: bytes that we do not see go by.
#[inline(never)]
pub fn record_splice(thread: &mut Thread, made: &mut Made) -> isize {
    let process = thread.process();
    let (from, to) = splice_ends(made.number, &made.arguments);
    let (from, to) = (process.entry(from), process.entry(to));
    if to >> 1 == OUTPUT_OBJECT {
        // The program falls back to reading and writing, which a replay can show again.
        return EINVAL;
    }
    for entry in [from, to] {
        if entry != 0 {
            give_up_tracking(entry);
        }
    }
    plain(thread, made)
}

/// Descriptors that a splice-like call reads from and writes to.
pub fn splice_ends(number: usize, arguments: &[usize; 6]) -> (usize, usize) {
    match number {
        40 => (arguments[1], arguments[0]),
        276 => (arguments[0], arguments[1]),
        278 => (usize::MAX, arguments[0]),
        _ => (arguments[0], arguments[2]),
    }
}

/// A new object, or 0 when there are too many.
pub fn new_object(thread: &Thread, kind: u32, flags: u32) -> u32 {
    let number = take(&header().next_object);
    if number >= MAX_OBJECTS {
        return 0;
    }
    let place = core::ptr::from_ref(object(number)).cast_mut();
    // SAFETY: the number was just taken: nobody else knows it.
    unsafe {
        (*place).kind = kind;
        (*place).process = thread.process().id;
        (*place).thread = thread.number;
        (*place).flags.store(flags, Ordering::Release);
    }
    number
}

/// pipe, pipe2, socketpair: an object with both ends here.
#[inline(never)]
pub fn record_pair(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    // SAFETY: the program's own call.
    let result = unsafe {
        let a = &made.arguments;
        raw::syscall6(made.number, a[0], a[1], a[2], a[3], a[4], a[5])
    };
    let mut number = 0u32;
    if result == 0 {
        let is_pipe = made.number != 53;
        // Only streams keep their bytes in order and in one piece.
        let is_stream = made.arguments[1] & 0xf == 1;
        if is_pipe {
            number = new_object(thread, object_kind::PIPE, object_flags::BOTH);
        } else if is_stream {
            number = new_object(thread, object_kind::SOCKET_PAIR, object_flags::BOTH);
        }
        attach_pair(thread, made.number, &made.arguments, number);
    }
    let suffix = number.to_le_bytes();
    let suffix: &[u8] = if result == 0 { &suffix } else { &[] };
    write_down(thread, made, result, outputs::Before::default(), suffix);
    result
}

/// Enters the two descriptors that a pipe or socketpair call has just given.
pub fn attach_pair(thread: &mut Thread, call: usize, arguments: &[usize; 6], number: u32) {
    let pointer = if call == 53 {
        arguments[3]
    } else {
        arguments[0]
    };
    let Some(pair) = user::read::<[u32; 2]>(pointer) else {
        return;
    };
    let process = thread.process();
    let entry = number * 2;
    if number == 0 {
        process.set_entry(pair[0] as usize, 0);
        process.set_entry(pair[1] as usize, 0);
    } else if call == 53 {
        process.set_entry(pair[0] as usize, entry);
        process.set_entry(pair[1] as usize, entry + 1);
    } else {
        // Side 1 reads direction 0, side 0 writes it.
        process.set_entry(pair[0] as usize, entry + 1);
        process.set_entry(pair[1] as usize, entry);
    }
}
