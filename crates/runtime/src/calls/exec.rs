//! exec: the runtime must be in the next program image too, and the image must find its place.
//!
//! A replay starts what the log says: the ELF file, the arguments and the environment of the
//! recorded image. Scripts, `PATH` and working directories need not exist. Padding in our own
//! variable keeps the stack at the addresses of the recording.

use crate::calls::check;
use crate::calls::counter;
use crate::calls::descriptors::give_up_tracking;
use crate::calls::record::Made;
use crate::calls::replay;
use crate::log::end as log_end;
use crate::log::reader;
use crate::memory::hash;
use crate::memory::user;
use crate::serial::token;
use crate::serial::turns;
use crate::session::diverge;
use crate::session::futex;
use crate::signals::force;
use crate::state::{Thread, header, map_window, room_window};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Arguments};
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::encode::get_varint;
use wayfarer_runtime_abi::layout::{divergence, flags, process_state};
use wayfarer_runtime_abi::record::{self, Head};
use wayfarer_runtime_abi::{BASE_PADDING, PRELOAD_PATH, SESSION_VARIABLE};

const AT_FDCWD: usize = -100isize as usize;
const AT_EMPTY_PATH: usize = 0x1000;
const MAX_SURVIVORS: usize = 19;
const MAX_STRINGS: usize = 1 << 20;

/// The parts of an execve or execveat.
#[derive(Clone, Copy)]
struct Parts {
    directory: usize,
    path: Address,
    arguments: Address,
    environment: Address,
    flags: usize,
}

fn parts(number: Number, a: &Arguments) -> Parts {
    if number == Number::EXECVE {
        Parts {
            directory: AT_FDCWD,
            path: a.address(0),
            arguments: a.address(1),
            environment: a.address(2),
            flags: 0,
        }
    } else {
        Parts {
            directory: a[0],
            path: a.address(1),
            arguments: a.address(2),
            environment: a.address(3),
            flags: a[4],
        }
    }
}

/// Check byte over the path and all arguments.
fn check_of(thread: &mut Thread, made: &Made, parts: Parts) -> u8 {
    let mut hash = u64::from(check::arguments(
        thread,
        made.call,
        made.number,
        &made.arguments,
    ));
    let mut index = 0;
    while index < MAX_STRINGS {
        let Some(string) = user::read::<Address>(parts.arguments.plus(index * 8)) else {
            break;
        };
        let Some(length) = user::string_length(thread, string, 1 << 17) else {
            break;
        };
        hash = user::hash(thread, hash, string, length);
        index += 1;
    }
    hash::fold(hash)
}

/// Whether the program can carry the runtime; what cannot be read is left to the kernel's answer.
fn is_opaque(thread: &mut Thread, parts: Parts) -> bool {
    if parts.flags & AT_EMPTY_PATH != 0
        && user::read::<u8>(parts.path).is_some_and(|first| first == 0)
    {
        return file_is_opaque(thread, parts.directory, 0);
    }
    path_is_opaque(thread, parts.directory, parts.path, 0)
}

fn path_is_opaque(thread: &mut Thread, directory: usize, path: Address, depth: u32) -> bool {
    const CLOEXEC: usize = 0o2_000_000;
    let path = path.number();
    // SAFETY: the kernel judges the path itself.
    let descriptor = unsafe { raw::syscall6(Number::OPENAT, directory, path, CLOEXEC, 0, 0, 0) };
    if descriptor < 0 {
        return false;
    }
    let opaque = file_is_opaque(thread, descriptor as usize, depth);
    // SAFETY: opened above.
    unsafe { raw::syscall6(Number::CLOSE, descriptor as usize, 0, 0, 0, 0, 0) };
    opaque
}

fn file_is_opaque(thread: &mut Thread, descriptor: usize, depth: u32) -> bool {
    let mut status = [0u32; 36];
    let mut head = [0u8; 1024];
    // SAFETY: both buffers live on this stack and are as long as said.
    let (described, length) = unsafe {
        (
            raw::syscall6(
                Number::FSTAT,
                descriptor,
                (&raw mut status) as usize,
                0,
                0,
                0,
                0,
            ),
            raw::syscall6(
                Number::PREAD64,
                descriptor,
                (&raw mut head) as usize,
                1023,
                0,
                0,
                0,
            ),
        )
    };
    if described == 0 && changes_identity(&status) {
        return true;
    }
    if length < 64 && !(length > 2 && head.starts_with(b"#!")) {
        return false;
    }
    if head.starts_with(b"\x7fELF") {
        return !is_dynamic(&head);
    }
    if head.starts_with(b"#!") && depth < 4 {
        let mut start = 2;
        while start < 1000 && matches!(head.get(start), Some(b' ' | b'\t')) {
            start += 1;
        }
        let mut end = start;
        while end < 1000 && !matches!(head.get(end), Some(b' ' | b'\t' | b'\n' | 0) | None) {
            end += 1;
        }
        if let Some(last) = head.get_mut(end) {
            *last = 0;
        }
        let path = (&raw const head) as usize + start;
        return path_is_opaque(thread, AT_FDCWD, Address::new(path), depth + 1);
    }
    false
}

/// Set-user-id or set-group-id to another user: the loader would drop the runtime.
fn changes_identity(status: &[u32; 36]) -> bool {
    let (mode, owner, group) = (status[6], status[7], status[8]);
    // SAFETY: no arguments.
    let (user, users_group) = unsafe {
        (
            raw::syscall6(Number::GETUID, 0, 0, 0, 0, 0, 0) as u32,
            raw::syscall6(Number::GETGID, 0, 0, 0, 0, 0, 0) as u32,
        )
    };
    (mode & 0o4000 != 0 && owner != user) || (mode & 0o2010 == 0o2010 && group != users_group)
}

/// A 64-bit x86 program with a loader.
fn is_dynamic(head: &[u8; 1024]) -> bool {
    const INTERPRETER: u32 = 3;
    if head[4] != 2 || head[18] != 62 {
        return false;
    }
    let table = u64::from_le_bytes([
        head[32], head[33], head[34], head[35], head[36], head[37], head[38], head[39],
    ]) as usize;
    let size = u16::from_le_bytes([head[54], head[55]]) as usize;
    let count = u16::from_le_bytes([head[56], head[57]]) as usize;
    let mut index = 0;
    while index < count {
        let at = table.wrapping_add(index * size);
        let Some(&[a, b, c, d]) = at.checked_add(4).and_then(|end| head.get(at..end)) else {
            // Program headers elsewhere in the file: most likely an ordinary program all the same.
            return true;
        };
        if u32::from_le_bytes([a, b, c, d]) == INTERPRETER {
            return true;
        }
        index += 1;
    }
    false
}

/// Memory for the strings and pointers of an exec.
struct Room {
    start: usize,
    length: usize,
    next: usize,
}

impl Room {
    /// The first or second half of the process's window.
    fn new(thread: &Thread, half: usize, length: usize) -> Option<Room> {
        let length = (length + 4095) & !4095;
        let (window, size) = room_window(thread.process().id.get());
        let start = window + half * (size / 2);
        // SAFETY: the window is this process's own.
        let there = length <= size / 2 && unsafe { map_window(start, length) };
        there.then_some(Room {
            start,
            length,
            next: start,
        })
    }

    fn free(&self) {
        // SAFETY: mapped by `new`.
        unsafe { raw::syscall6(Number::MUNMAP, self.start, self.length, 0, 0, 0, 0) };
    }

    fn push(&mut self, bytes: &[u8]) {
        if self.next + bytes.len() <= self.start + self.length {
            // SAFETY: just checked.
            unsafe {
                core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.next as *mut u8, bytes.len());
            }
            self.next += bytes.len();
        }
    }

    /// Adds so many bytes of the program's memory.
    fn push_users(&mut self, from: Address, length: usize) {
        if self.next + length <= self.start + self.length {
            // SAFETY: just checked.
            unsafe { user::copy_in(self.next as *mut u8, from, length) };
            self.next += length;
        }
    }

    fn push_word(&mut self, word: usize) {
        self.push(&word.to_le_bytes());
    }
}

fn starts_with(string: Address, name: &[u8]) -> bool {
    let mut start = [0u8; 24];
    let length = name.len().min(24);
    start
        .get_mut(..length)
        .is_some_and(|start| user::fill(start, string) && *start == *name)
}

const PRELOAD: &[u8] = b"LD_PRELOAD=";

/// The program's environment with our two variables at its end.
fn with_ours(thread: &mut Thread, environment: Address, padding: usize) -> Option<(Room, usize)> {
    let mut count = 0;
    let mut users = Address::NULL;
    while count < MAX_STRINGS {
        let string = user::read::<Address>(environment.plus(count * 8)).unwrap_or_default();
        if string.is_null() {
            break;
        }
        if starts_with(string, PRELOAD) {
            users = string.plus(PRELOAD.len());
        }
        count += 1;
    }
    let users_length = user::string_length(thread, users, 1 << 16).unwrap_or(0);
    let mut room = Room::new(thread, 1, count * 8 + users_length + padding + 512)?;
    // Strings first, then the pointers.
    let preload = room.next;
    room.push(PRELOAD);
    room.push(PRELOAD_PATH.as_bytes());
    if users_length > 0 {
        room.push(b":");
        room.push_users(users, users_length);
    }
    room.push(&[0]);
    let session = room.next;
    room.push(SESSION_VARIABLE.as_bytes());
    room.push(b"=");
    let id = thread.process().id.get();
    let mut digit = 8;
    while digit > 0 {
        digit -= 1;
        let value = (id >> (digit * 4)) as u8 & 15;
        room.push(&[if value < 10 {
            b'0' + value
        } else {
            b'a' + value - 10
        }]);
    }
    let mut dots = 0;
    while dots < padding {
        room.push(b".");
        dots += 1;
    }
    room.push(&[0]);
    room.next = (room.next + 7) & !7;
    let array = room.next;
    let mut index = 0;
    while index < count {
        let string = user::read::<Address>(environment.plus(index * 8)).unwrap_or_default();
        if !starts_with(string, PRELOAD) && !starts_with(string, b"WAYFARER_SESSION=") {
            room.push_word(string.number());
        }
        index += 1;
    }
    room.push_word(preload);
    room.push_word(session);
    room.push_word(0);
    Some((room, array))
}

/// Leaves word for the next program image in the slots of the session.
fn hand_over(thread: &mut Thread, survivors: &[[u32; 2]; MAX_SURVIVORS], count: usize) {
    let slot = thread.process().slot();
    for (to, survivor) in slot.survivors.iter().zip(survivors).take(count) {
        let ([descriptor, entry], [number, object]) = (to, survivor);
        descriptor.set(*number);
        entry.set(*object);
    }
    slot.survivors_count.set(count as u32);
    slot.image_thread.set(thread.number);
    slot.execs.fetch_add(1, Ordering::Relaxed);
    thread
        .slot()
        .output_hash
        .store(thread.log.hash, Ordering::Relaxed);
}

/// Tracked descriptors without close-on-exec.
fn survivors(thread: &mut Thread) -> ([[u32; 2]; MAX_SURVIVORS], usize) {
    let process = thread.process();
    let mut found = [[0u32; 2]; MAX_SURVIVORS];
    let mut count = 0;
    let mut descriptor = 0;
    while descriptor < process.descriptors.high.get() {
        let entry = process.entry(descriptor);
        // SAFETY: fcntl(F_GETFD) touches no memory.
        if entry != 0 && unsafe { raw::syscall6(Number::FCNTL, descriptor, 1, 0, 0, 0, 0) } & 1 == 0
        {
            match found.get_mut(count) {
                Some(place) => {
                    *place = [descriptor as u32, entry];
                    count += 1;
                }
                None => give_up_tracking(entry),
            }
        }
        descriptor += 1;
    }
    (found, count)
}

#[inline(never)]
pub fn record_exec(thread: &mut Thread, made: &mut Made) -> isize {
    let parts = parts(made.number, &made.arguments);
    let check = check_of(thread, made, parts);
    let opaque = is_opaque(thread, parts);
    let (survivors, count) = survivors(thread);
    write_exec(thread, made, check, opaque, &survivors, count, parts.path);
    let mut arguments = made.arguments;
    let mut room = None;
    if opaque {
        thread_becomes_opaque(thread, &survivors, count);
    } else if header().flags & flags::NO_ENVIRONMENT == 0
        && let Some((ours, array)) = with_ours(thread, parts.environment, BASE_PADDING)
    {
        let index = if made.number == Number::EXECVE { 2 } else { 3 };
        arguments = arguments.with_address(index, Address::new(array));
        room = Some(ours);
    }
    hand_over(thread, &survivors, count);
    counter::before_exec(thread);
    let tid = force::before_exec(thread, !opaque);
    // SAFETY: the program's own call, with another environment.
    let result = unsafe { crate::calls::record::call_kernel(made.number, &arguments) };
    force::after_exec(thread, tid);
    counter::after_exec(thread);
    if let Some(room) = room {
        room.free();
    }
    if opaque {
        let state = &thread.process().slot().state;
        state.store(process_state::RUNNING, Ordering::Release);
        token::take(thread);
    }
    thread.emit_result(result as i64);
    result
}

fn thread_becomes_opaque(thread: &mut Thread, survivors: &[[u32; 2]; MAX_SURVIVORS], count: usize) {
    for [_, entry] in survivors.iter().take(count) {
        give_up_tracking(*entry);
    }
    let state = &thread.process().slot().state;
    state.store(process_state::OPAQUE, Ordering::Release);
    token::leave(thread);
}

fn write_exec(
    thread: &mut Thread,
    made: &Made,
    check: u8,
    opaque: bool,
    survivors: &[[u32; 2]; MAX_SURVIVORS],
    count: usize,
    path: Address,
) {
    let mut payload = [0u8; 5 + MAX_SURVIVORS * 8 + 512];
    let mut length = 0;
    let mut push = |bytes: &[u8]| {
        if length + bytes.len() <= payload.len() {
            // SAFETY: just checked.
            unsafe {
                core::ptr::copy_nonoverlapping(
                    bytes.as_ptr(),
                    payload.as_mut_ptr().add(length),
                    bytes.len(),
                );
            }
            length += bytes.len();
        }
    };
    push(&[if opaque { record::exec::OPAQUE } else { 0 }]);
    push(&(count as u32).to_le_bytes());
    for [descriptor, entry] in survivors.iter().take(count) {
        push(&descriptor.to_le_bytes());
        push(&entry.to_le_bytes());
    }
    let mut text = [0u8; 512];
    let text_length = user::string_length(thread, path, 511).unwrap_or(0);
    if let Some(text) = text.get_mut(..text_length) {
        user::fill(text, path);
    }
    let text = text.get(..text_length).unwrap_or(&[]);
    push(text);
    if opaque {
        thread.note(record::note::OPAQUE_PROGRAM, 0, text);
    }
    let payload = payload.get(..length).unwrap_or(&[]);
    thread.emit_with(Head::call(made.number.word(), check, 0), payload);
}

#[inline(never)]
pub fn replay_exec(thread: &mut Thread, made: &mut Made) -> isize {
    let parts = parts(made.number, &made.arguments);
    let check = check_of(thread, made, parts);
    let next = replay::expect(thread, made, record::SYSCALL);
    replay::compare(thread, made, check, &next);
    reader::advance(thread, next.length);
    thread.count_event();
    let opaque = next
        .payload
        .first()
        .is_some_and(|flags| flags & record::exec::OPAQUE != 0);
    if opaque {
        token::leave(thread);
        turns::first_turn(thread);
    }
    if let Some(result) = replay::take_result(thread) {
        return result as isize;
    }
    if opaque {
        end_as_recorded(thread);
    }
    let mut survivors = [[0u32; 2]; MAX_SURVIVORS];
    let mut count = 0;
    let word = |at: usize| {
        next.payload.get(at..at + 4).map_or(0, |b| match *b {
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        })
    };
    while count < (word(1) as usize).min(MAX_SURVIVORS) {
        if let Some(place) = survivors.get_mut(count) {
            *place = [word(5 + count * 8), word(9 + count * 8)];
        }
        count += 1;
    }
    hand_over(thread, &survivors, count);
    start_again(thread, made)
}

/// Executes what the next `START` record describes.
fn start_again(thread: &mut Thread, made: &Made) -> isize {
    let Some(next) = reader::peek(thread) else {
        let end = thread.process().slot().end_status.get();
        if end & 0x8000_0000 != 0 {
            // It ran, but without us: no room for the session in its address space.
            end_as_recorded(thread);
        }
        log_end::reached(thread)
    };
    if next.tag != record::START {
        diverge::report(
            thread,
            divergence::OTHER_CALL,
            made.number.word() as i64,
            0,
            &made.arguments,
            Some(&next),
        );
    }
    let executable = field(next.payload, record::start::EXECUTABLE);
    let execfn = field(next.payload, record::start::EXECFN);
    let arguments = field(next.payload, record::start::ARGUMENTS);
    let environment = field(next.payload, record::start::ENVIRONMENT);
    let padding = (BASE_PADDING + execfn.len()).wrapping_sub(executable.len());
    let padding = if padding > 8192 { 0 } else { padding };
    let strings = arguments.len() / 2 + environment.len() / 2 + 64;
    let Some(mut room) = Room::new(thread, 0, strings * 8 + executable.len() + 64) else {
        return -12;
    };
    let path = room.next;
    room.push(executable);
    room.push(&[0]);
    room.next = (room.next + 7) & !7;
    let argument_array = room.next;
    push_strings(&mut room, arguments);
    let environment_array = room.next;
    push_strings(&mut room, environment);
    let Some((_, array)) = with_ours(thread, Address::new(environment_array), padding) else {
        return -12;
    };
    let consumed = (thread.replay.cursor as usize)
        .wrapping_sub(crate::state::at(thread.slot().log_offset.get()) as usize);
    thread
        .slot()
        .log_position
        .store(consumed as u64, Ordering::Relaxed);
    counter::before_exec(thread);
    // SAFETY: the arrays were built above.
    let result = unsafe { raw::syscall6(Number::EXECVE, path, argument_array, array, 0, 0, 0) };
    diverge::details([(-result) as u64, 0, 0, 0]);
    diverge::text(executable);
    diverge::report(
        thread,
        divergence::EXEC_FAILED,
        made.number.word() as i64,
        0,
        &made.arguments,
        Some(&next),
    )
}

/// Pointers to each of a run of zero terminated strings, and a null.
fn push_strings(room: &mut Room, strings: &'static [u8]) {
    let mut start = 0;
    let mut position = 0;
    while position < strings.len() {
        if strings.get(position) == Some(&0) {
            room.push_word(strings.as_ptr() as usize + start);
            start = position + 1;
        }
        position += 1;
    }
    room.push_word(0);
}

/// A field of a `START` payload.
pub fn field(payload: &'static [u8], index: usize) -> &'static [u8] {
    let mut position = 0;
    let mut current = 0;
    loop {
        let Some((length, start)) = get_varint(payload, position) else {
            return &[];
        };
        let end = start.wrapping_add(length as usize);
        if current == index {
            return payload.get(start..end).unwrap_or(&[]);
        }
        position = end;
        current += 1;
    }
}

/// Replay: what the program that we could not follow did is unknown; its end is not.
fn end_as_recorded(thread: &mut Thread) -> ! {
    let slot = thread.process().slot();
    slot.state.store(process_state::OPAQUE, Ordering::Release);
    futex::wake(&slot.state, u32::MAX >> 1);
    let status = slot.end_status.get();
    // SAFETY: ends the process.
    unsafe {
        if status & 0x8000_0000 != 0 && status & 0x7f != 0 {
            log_end::die(status & 0x7f);
        }
        raw::syscall6(
            Number::EXIT_GROUP,
            (status >> 8 & 0xff) as usize,
            0,
            0,
            0,
            0,
            0,
        );
    }
    futex::rest()
}
