//! Calls that take bytes, while recording.

use crate::calls::check;
use crate::calls::descriptors::OUTPUT_OBJECT;
use crate::calls::outputs;
use crate::calls::record::{Made, contents_all, perform, plain, write_down};
use crate::calls::streams::{claim, contents_flag, direction, each_passed};
use crate::memory::user;
use crate::state::{Thread, object};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Span};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{Object, object_flags};
use wayfarer_runtime_abi::record::{self, Head};

/// Flags of a receive that takes bytes in order and nothing else: DONTWAIT, WAITALL, NOSIGNAL,
/// CMSG_CLOEXEC.
const PLAIN_RECEIVE: usize = 0x40 | 0x100 | 0x4000 | 0x4000_0000;

/// Whether a read-like call takes the next bytes of a stream and tells nothing else.
pub fn is_plain_read(number: Number, arguments: &[usize; 6]) -> bool {
    match number {
        Number::READ | Number::READV => true,
        Number::RECVFROM => arguments[4] == 0 && arguments[3] & !PLAIN_RECEIVE == 0,
        _ => false,
    }
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
        let (number, count) = (made.number.word(), result as i64);
        thread.emit(Head::new(record::RECEIVE, number, made.check, count));
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
    if result >= 0 && made.number == Number::RECVMSG {
        forget_received(thread, made.arguments.address(1));
    }
    result
}

/// Clears the entries of descriptors that arrived in the control data of a message.
pub fn forget_received(thread: &mut Thread, message: Address) {
    let Some(control) = user::read::<Span>(message.plus(32)) else {
        return;
    };
    each_passed(thread, control, |thread, descriptor| {
        thread.process().set_entry(descriptor as usize, 0);
    });
}
