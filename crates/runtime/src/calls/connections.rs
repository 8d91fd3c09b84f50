//! Connections: both ends find each other, so that they become one object.
//!
//! The connecting side writes what only the two ends can know into a table: for TCP the pair of
//! addresses, for a Unix stream a name that the kernel gives to its socket at our request. The
//! accepting side looks it up. An accept waits only while a connect of the set is between its call
//! and its entry. A connection that is not found comes from outside the set, and its contents are
//! logged. Datagrams are always logged with contents, because they may be lost or reordered.

use crate::calls::check;
use crate::calls::outputs::{self, Before};
use crate::calls::pairs::{self, new_object};
use crate::calls::record::{Made, perform, write_down};
use crate::calls::replay::{compare, expect, pour};
use crate::log::reader;
use crate::memory::hash;
use crate::memory::user;
use crate::state::{Thread, connection, header, object};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::{Ordering, spin_loop};
use wayfarer_runtime_abi::layout::{Connection, object_flags, object_kind};
use wayfarer_runtime_abi::record;

const EINPROGRESS: isize = -115;
const AF_UNIX: u16 = 1;
const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;
/// How often an accept looks again while connects are on their way.
const LOOKS: u32 = 2000;

const FREE: u32 = 0;
const WRITING: u32 = 1;
const VALID: u32 = 2;
const TAKEN: u32 = 3;

/// What both ends know of a connection.
#[derive(Clone, Copy)]
struct Key {
    bytes: [u8; 112],
    length: usize,
}

impl Key {
    /// What an entry of the table is found by.
    fn of(entry: &Connection) -> Key {
        let mut bytes = [0; 112];
        for (to, word) in bytes.chunks_exact_mut(8).zip(&entry.key) {
            to.copy_from_slice(&word.get().to_le_bytes());
        }
        let length = entry.key_length.get() as usize;
        Key { bytes, length }
    }

    fn words(&self) -> impl Iterator<Item = u64> {
        let words = self.bytes.as_chunks::<8>().0.iter();
        words.map(|word| u64::from_le_bytes(*word))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.length == other.length
            && self.bytes.get(..self.length) == other.bytes.get(..self.length)
    }
}

#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Name {
    bytes: [u8; 112],
    length: u32,
}

impl Name {
    fn family(&self) -> u16 {
        u16::from_le_bytes([self.bytes[0], self.bytes[1]])
    }
}

fn ask(descriptor: usize, call: Number) -> Option<Name> {
    let mut address = Name {
        bytes: [0; 112],
        length: 112,
    };
    // SAFETY: the buffer and its length live on this stack.
    let result = unsafe {
        raw::syscall6(
            call,
            descriptor,
            (&raw mut address.bytes) as usize,
            (&raw mut address.length) as usize,
            0,
            0,
            0,
        )
    };
    (result == 0).then_some(address)
}

/// Appends host and port of an internet address in one form for both families.
fn push_internet(key: &mut Key, address: &Name) -> bool {
    let (host, port): ([u8; 16], [u8; 2]) = match address.family() {
        AF_INET => {
            let mut host = [0u8; 16];
            host[10] = 0xff;
            host[11] = 0xff;
            host[12] = address.bytes[4];
            host[13] = address.bytes[5];
            host[14] = address.bytes[6];
            host[15] = address.bytes[7];
            (host, [address.bytes[2], address.bytes[3]])
        }
        AF_INET6 => {
            let mut host = [0u8; 16];
            // SAFETY: 16 bytes from offset 8 of a 112 byte buffer.
            unsafe {
                core::ptr::copy_nonoverlapping(
                    address.bytes.as_ptr().add(8),
                    host.as_mut_ptr(),
                    16,
                );
            }
            (host, [address.bytes[2], address.bytes[3]])
        }
        _ => return false,
    };
    if key.length + 18 > 112 {
        return false;
    }
    // SAFETY: just checked.
    unsafe {
        let to = key.bytes.as_mut_ptr().add(key.length);
        core::ptr::copy_nonoverlapping(host.as_ptr(), to, 16);
        core::ptr::copy_nonoverlapping(port.as_ptr(), to.add(16), 2);
    }
    key.length += 18;
    true
}

fn unix_key(address: &Name) -> Option<Key> {
    let length = (address.length as usize).min(110);
    if length <= 2 {
        return None;
    }
    Some(Key {
        bytes: address.bytes,
        length,
    })
}

fn internet_key(client: &Name, server: &Name) -> Option<Key> {
    let mut key = Key {
        bytes: [0; 112],
        length: 0,
    };
    (push_internet(&mut key, client) && push_internet(&mut key, server)).then_some(key)
}

fn hash(key: &Key) -> u32 {
    // SAFETY: the length never exceeds the array.
    unsafe { hash::hash_bytes(7, key.bytes.as_ptr(), key.length) as u32 }
}

/// How far from its hash an entry may lie.
const PROBES: u32 = 64;

/// Publishes a connection of ours.
fn publish(key: &Key, object: u32) -> bool {
    let hash = hash(key);
    let mut probe = 0;
    while probe < PROBES {
        let place = connection(hash.wrapping_add(probe));
        let state = place.state.load(Ordering::Acquire);
        if (state == FREE || state == TAKEN)
            && place
                .state
                .compare_exchange(state, WRITING, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        {
            place.object.set(object);
            place.hash.set(hash);
            place.key_length.set(key.length as u32);
            for (to, word) in place.key.iter().zip(key.words()) {
                to.set(word);
            }
            place.state.store(VALID, Ordering::Release);
            return true;
        }
        probe += 1;
    }
    false
}

/// Looks for a connection and takes it out; its object, or 0.
fn find(key: &Key) -> u32 {
    let hash = hash(key);
    let mut probe = 0;
    while probe < PROBES {
        let place = connection(hash.wrapping_add(probe));
        let state = place.state.load(Ordering::Acquire);
        if state == VALID && place.hash.get() == hash && *key == Key::of(place) {
            let object = place.object.get();
            if place
                .state
                .compare_exchange(VALID, TAKEN, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
            {
                return object;
            }
        }
        probe += 1;
    }
    0
}

/// Whether a socket carries a stream of bytes.
fn is_stream(descriptor: usize) -> bool {
    let (mut kind, mut length) = (0u32, 4u32);
    // SAFETY: both words live on this stack. SOL_SOCKET 1, SO_TYPE 3.
    unsafe {
        raw::syscall6(
            Number::GETSOCKOPT,
            descriptor,
            1,
            3,
            (&raw mut kind) as usize,
            (&raw mut length) as usize,
            0,
        );
    }
    kind == 1
}

#[inline(never)]
pub fn record_connect(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let descriptor = made.arguments[0];
    let family = user::read::<u16>(made.arguments.address(1)).unwrap_or(0);
    let already = thread.process().entry(descriptor) != 0;
    let follow =
        !already && matches!(family, AF_UNIX | AF_INET | AF_INET6) && is_stream(descriptor);
    let mut named = false;
    let head = header();
    if follow && family == AF_UNIX {
        named = name_socket(descriptor);
    }
    if follow {
        head.connects_pending.fetch_add(1, Ordering::AcqRel);
    }
    let mut number = 0;
    let arguments = made.arguments;
    if follow && family == AF_UNIX {
        // The name is there before the connection is: publish first.
        number = publish_unix(thread, descriptor, named);
    }
    let result = perform(thread, made, &arguments);
    if follow {
        if family != AF_UNIX && (result == 0 || result == EINPROGRESS) {
            number = publish_internet(thread, descriptor, arguments.address(1), arguments[2]);
        }
        head.connects_pending.fetch_sub(1, Ordering::AcqRel);
        if number != 0 && (result == 0 || result == EINPROGRESS) {
            thread.process().set_entry(descriptor, number * 2);
        } else {
            number = 0;
        }
    }
    write_down(
        thread,
        made,
        result,
        Before::default(),
        &number.to_le_bytes(),
    );
    result
}

/// Lets the kernel choose a name for a nameless Unix socket, so that the peer can tell us which it is.
fn name_socket(descriptor: usize) -> bool {
    match ask(descriptor, Number::GETSOCKNAME) {
        Some(address) if address.length <= 2 => {
            let family = AF_UNIX;
            // SAFETY: a bare family asks for an automatic name.
            let result = unsafe {
                raw::syscall6(
                    Number::BIND,
                    descriptor,
                    (&raw const family) as usize,
                    2,
                    0,
                    0,
                    0,
                )
            };
            result == 0
        }
        _ => false,
    }
}

fn publish_unix(thread: &Thread, descriptor: usize, named: bool) -> u32 {
    let Some(key) = ask(descriptor, Number::GETSOCKNAME)
        .as_ref()
        .and_then(unix_key)
    else {
        return 0;
    };
    let flags = if named { object_flags::NAMED_BY_US } else { 0 };
    let number = new_object(thread, object_kind::UNIX, flags);
    if number != 0 && publish(&key, number) {
        number
    } else {
        0
    }
}

fn publish_internet(thread: &mut Thread, descriptor: usize, asked: Address, length: usize) -> u32 {
    let Some(local) = ask(descriptor, Number::GETSOCKNAME) else {
        return 0;
    };
    // While the handshake runs there is no peer yet; then the address asked for is the one.
    let remote = match ask(descriptor, Number::GETPEERNAME) {
        Some(remote) => remote,
        None => {
            let mut remote = Name {
                bytes: [0; 112],
                length: 0,
            };
            let bytes = remote.bytes.get_mut(..length.min(112));
            if !bytes.is_some_and(|bytes| user::fill(bytes, asked)) {
                return 0;
            }
            remote
        }
    };
    let Some(key) = internet_key(&local, &remote) else {
        return 0;
    };
    let number = new_object(thread, object_kind::TCP, 0);
    if number != 0 && publish(&key, number) {
        number
    } else {
        0
    }
}

#[inline(never)]
pub fn record_accept(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let before = outputs::before(made.call, &made.arguments);
    let arguments = made.arguments;
    let result = perform(thread, made, &arguments);
    let mut number = 0;
    if result >= 0 {
        number = peer_object(result as usize);
        if number != 0 {
            hide_name(number, made.arguments.address(1), made.arguments.address(2));
            object(number)
                .flags
                .fetch_or(object_flags::BOTH, Ordering::AcqRel);
            thread.process().set_entry(result as usize, number * 2 + 1);
        } else {
            thread.process().set_entry(result as usize, 0);
        }
    }
    let suffix = number.to_le_bytes();
    let suffix: &[u8] = if result >= 0 { &suffix } else { &[] };
    write_down(thread, made, result, before, suffix);
    result
}

/// The object of an accepted connection, or 0 when it comes from outside the set.
fn peer_object(descriptor: usize) -> u32 {
    if !is_stream(descriptor) {
        return 0;
    }
    let Some(remote) = ask(descriptor, Number::GETPEERNAME) else {
        return 0;
    };
    let key = match remote.family() {
        AF_UNIX => unix_key(&remote),
        AF_INET | AF_INET6 => {
            ask(descriptor, Number::GETSOCKNAME).and_then(|local| internet_key(&remote, &local))
        }
        _ => None,
    };
    let Some(key) = key else { return 0 };
    let mut looks = 0;
    loop {
        // Looked at before the search: an entry that was on its way then is in the table now or later.
        let pending = header().connects_pending.load(Ordering::Acquire);
        let number = find(&key);
        if number != 0 || pending == 0 || looks >= LOOKS {
            return number;
        }
        if looks > 100 {
            // SAFETY: sched_yield has no arguments.
            unsafe { raw::syscall6(Number::SCHED_YIELD, 0, 0, 0, 0, 0, 0) };
        }
        spin_loop();
        looks += 1;
    }
}

/// The name that we gave to a socket is none to the program.
fn hide_name(number: u32, address: Address, length: Address) {
    if object(number).flags.load(Ordering::Relaxed) & object_flags::NAMED_BY_US == 0
        || address.is_null()
        || length.is_null()
    {
        return;
    }
    // SAFETY: where the call has put the length of the name.
    unsafe { user::write(length, 2u32) };
}

/// getsockname, getpeername.
#[inline(never)]
pub fn record_name(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let before = outputs::before(made.call, &made.arguments);
    let arguments = made.arguments;
    let result = perform(thread, made, &arguments);
    let entry = thread.process().entry(made.arguments[0]);
    // The client's own name, or the server's view of it.
    let ours = (entry & 1 == 0) == (made.number == Number::GETSOCKNAME);
    if result == 0 && entry > 3 && ours {
        hide_name(
            entry >> 1,
            made.arguments.address(1),
            made.arguments.address(2),
        );
    }
    write_down(thread, made, result, before, &[]);
    result
}

/// pipe, socketpair, accept, connect: as [`emulate`](crate::calls::replay::emulate), and the object is after what the call wrote.
#[inline(never)]
pub fn replay_object(thread: &mut Thread, made: &mut Made) -> isize {
    let check = check::arguments(thread, made.call, made.number, &made.arguments);
    let next = expect(thread, made, record::SYSCALL);
    compare(thread, made, check, &next);
    reader::advance(thread, next.length);
    thread.count_event();
    let result = next.value as isize;
    let before = outputs::before(made.call, &made.arguments);
    let used = pour(made.call, &made.arguments, result, before, next.payload);
    let number = match next.payload.get(used..) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    };
    match made.number {
        Number::CONNECT => {
            if number != 0 {
                thread.process().set_entry(made.arguments[0], number * 2);
            }
        }
        Number::ACCEPT | Number::ACCEPT4 => {
            if result >= 0 {
                let entry = if number == 0 { 0 } else { number * 2 + 1 };
                thread.process().set_entry(result as usize, entry);
            }
        }
        _ => {
            if result == 0 {
                pairs::attach_pair(thread, made.number, &made.arguments, number);
            }
        }
    }
    result
}
