//! What the runtime knows about the thread and the process it runs in.
//!
//! Everything hangs on the thread: a child of vfork shares its parent's memory and thread-local
//! storage, so nothing that belongs to a process may live in a static. The thread-local pointer leads
//! to [`Thread`], that to [`Process`]; a vfork child swaps the pointer and its parent swaps it back.

pub mod crossings;
pub mod expected;
pub mod mappings;
pub mod order;
pub mod process;
pub mod spinning;
pub mod thread;
pub mod upcalls;
pub mod vain;
pub mod windows;

pub use process::Process;
pub use thread::Thread;
pub use wayfarer_runtime_abi::word;

use wayfarer_calls::Number;
use wayfarer_entrance::{raw, tls};
use wayfarer_runtime_abi::atomic::{AtomicU32, AtomicU64};
use wayfarer_runtime_abi::layout::{
    self, Connection, Header, Object, ProcessSlot, SESSION_BASE, ThreadSlot,
};

/// Runtime's own memory of threads and processes: one window for each number, so that addresses are the
/// same in a recording and its replay and never meet the program's mappings.
const THREADS_BASE: usize = 0x2100_0000_0000;
pub const THREAD_WINDOW: usize = 0x1_0000;
/// At least so much of a thread's window is a stack for our own code.
const OWN_STACK: usize = 0x6000;
const PROCESSES_BASE: usize = 0x2200_0000_0000;
const PROCESS_WINDOW: usize = 0x10_0000;

const ROOMS_BASE: usize = 0x2300_0000_0000;
const ROOM_WINDOW: usize = 0x100_0000;

/// Memory for what an exec needs: a window of the process's own, because a borrowing child leaves it
/// behind in its parent's memory, which must find it again to give it back.
pub fn room_window(process: u32) -> (usize, usize) {
    (ROOMS_BASE + process as usize * ROOM_WINDOW, ROOM_WINDOW)
}

const _: () = assert!(core::mem::size_of::<Thread>() + OWN_STACK <= THREAD_WINDOW);
const _: () = assert!(core::mem::size_of::<Process>() <= PROCESS_WINDOW);

#[inline(always)]
pub fn current() -> *mut Thread {
    tls::get().cast()
}

#[inline(always)]
pub fn header() -> &'static Header {
    // SAFETY: the session is mapped at this address before any hook can run and never unmapped.
    unsafe { &*(SESSION_BASE as *const Header) }
}

/// The place `offset` bytes into the session file.
#[inline(always)]
pub fn at(offset: u64) -> *mut u8 {
    (SESSION_BASE as u64 + offset) as *mut u8
}

/// The entry of a table of the session with so many entries, a power of two. Larger numbers, which nobody gives, begin
/// again at the start.
#[inline(always)]
fn entry<T>(table: u64, number: u32, entries: u32) -> *mut T {
    at(table + u64::from(number & (entries - 1)) * size_of::<T>() as u64).cast()
}

fn process_entry(id: u32) -> *mut ProcessSlot {
    entry(layout::PROCESSES_OFFSET, id, layout::MAX_PROCESSES)
}

fn thread_entry(number: u32) -> *mut ThreadSlot {
    entry(layout::THREADS_OFFSET, number, layout::MAX_THREADS)
}

#[inline(always)]
pub fn process_slot(id: u32) -> &'static ProcessSlot {
    // SAFETY: part of the session mapping; all of it are words that are shared.
    unsafe { &*process_entry(id) }
}

#[inline(always)]
pub fn thread_slot(number: u32) -> &'static ThreadSlot {
    // SAFETY: as of `process_slot`.
    unsafe { &*thread_entry(number) }
}

#[inline(always)]
pub fn object(number: u32) -> &'static Object {
    // SAFETY: as of `process_slot`.
    unsafe { &*entry::<Object>(layout::OBJECTS_OFFSET, number, layout::MAX_OBJECTS) }
}

#[inline(always)]
pub fn connection(number: u32) -> &'static Connection {
    // SAFETY: as of `process_slot`.
    unsafe { &*entry::<Connection>(layout::CONNECTIONS_OFFSET, number, layout::MAX_CONNECTIONS) }
}

/// Makes the slot of a process like new.
///
/// # Safety
/// Nobody else may use it.
pub unsafe fn clear_process(id: u32) {
    // SAFETY: as the caller says; zeros are a free slot.
    unsafe { process_entry(id).write_bytes(0, 1) };
}

/// The same of a thread.
///
/// # Safety
/// Nobody else may use it.
pub unsafe fn clear_thread(number: u32) {
    // SAFETY: as the caller says; zeros are a free slot.
    unsafe { thread_entry(number).write_bytes(0, 1) };
}

pub const MAP_PRIVATE: usize = 2;
pub const MAP_FIXED: usize = 0x10;
pub const MAP_ANONYMOUS: usize = 0x20;
pub const MAP_NORESERVE: usize = 0x4000;

/// Maps fresh memory at a place of ours; whether it could.
///
/// # Safety
/// The place must belong to the caller: whatever is there is replaced.
pub unsafe fn map_window(address: usize, length: usize) -> bool {
    // SAFETY: the window belongs to this number alone; replacing a stale one is intended.
    let result = unsafe {
        raw::syscall6(
            Number::MMAP,
            address,
            length,
            3,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
            usize::MAX,
            0,
        )
    };
    result == address as isize
}

/// Maps a zeroed [`Thread`] for a global thread number; null when memory is out.
///
/// # Safety
/// Nothing else may use that number in this address space.
pub unsafe fn new_thread(number: u32) -> *mut Thread {
    let (address, length) = window_of(number);
    // SAFETY: as the caller says.
    if unsafe { map_window(address, length) } {
        let thread = address as *mut Thread;
        // SAFETY: just mapped.
        unsafe { (*thread).own_stack.top = address + THREAD_WINDOW };
        thread
    } else {
        core::ptr::null_mut()
    }
}

/// Where the window of a thread lies, to unmap it.
pub fn thread_window(thread: *mut Thread) -> (usize, usize) {
    (thread as usize, THREAD_WINDOW)
}

/// The same, by the thread's number.
pub fn window_of(number: u32) -> (usize, usize) {
    let address = THREADS_BASE + number as usize * THREAD_WINDOW;
    (address, THREAD_WINDOW)
}

/// Maps a zeroed [`Process`] for a process of the session; null when memory is out.
///
/// # Safety
/// Nothing else may use that number in this address space.
pub unsafe fn new_process(id: u32) -> *mut Process {
    let address = PROCESSES_BASE + id as usize * PROCESS_WINDOW;
    // SAFETY: as the caller says.
    if unsafe { map_window(address, PROCESS_WINDOW) } {
        address as *mut Process
    } else {
        core::ptr::null_mut()
    }
}

/// Gives the window of a process back (a vfork child that has gone).
///
/// # Safety
/// It must not be in use any more.
pub unsafe fn drop_window(address: usize, length: usize) {
    // SAFETY: as the caller says.
    unsafe { raw::syscall6(Number::MUNMAP, address, length, 0, 0, 0, 0) };
}

pub fn process_window(process: *mut Process) -> (usize, usize) {
    (process as usize, PROCESS_WINDOW)
}

/// A counter of the session, taken once.
#[inline(always)]
pub fn take(counter: &AtomicU32) -> u32 {
    counter.fetch_add(1, wayfarer_runtime_abi::atomic::Ordering::Relaxed)
}

#[inline(always)]
pub fn take_units(counter: &AtomicU64, units: u64) -> u64 {
    counter.fetch_add(units, wayfarer_runtime_abi::atomic::Ordering::Relaxed)
}
