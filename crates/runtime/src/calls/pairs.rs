//! Objects with both ends in one process: pipes and pairs of sockets.

use crate::calls::check;
use crate::calls::outputs;
use crate::calls::record::{Made, write_down};
use crate::memory::user;
use crate::state::{Thread, header, object, take};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Arguments;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{MAX_OBJECTS, object_flags, object_kind};

/// A new object, or 0 when there are too many.
pub fn new_object(thread: &Thread, kind: u32, flags: u32) -> u32 {
    let number = take(&header().next_object);
    if number >= MAX_OBJECTS {
        return 0;
    }
    let object = object(number);
    object.kind.set(kind);
    object.process.set(thread.process().id.get());
    object.thread.set(thread.number);
    object.flags.store(flags, Ordering::Release);
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
        let is_pipe = made.number != Number::SOCKETPAIR;
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
pub fn attach_pair(thread: &mut Thread, call: Number, arguments: &Arguments, number: u32) {
    let pointer = arguments.address(if call == Number::SOCKETPAIR { 3 } else { 0 });
    let Some(pair) = user::read::<[u32; 2]>(pointer) else {
        return;
    };
    let process = thread.process();
    let entry = number * 2;
    if number == 0 {
        process.set_entry(pair[0] as usize, 0);
        process.set_entry(pair[1] as usize, 0);
    } else if call == Number::SOCKETPAIR {
        process.set_entry(pair[0] as usize, entry);
        process.set_entry(pair[1] as usize, entry + 1);
    } else {
        // Side 1 reads direction 0, side 0 writes it.
        process.set_entry(pair[0] as usize, entry + 1);
        process.set_entry(pair[1] as usize, entry);
    }
}
