//! Finds the runtime of a recording or replay in this process, if there is one.

use std::sync::atomic::{AtomicUsize, Ordering};

/// It was not looked at yet.
const UNKNOWN: usize = 0;
/// There is no runtime: everything is std's own.
const ABSENT: usize = 1;
const PRESENT: usize = 2;

static STATE: AtomicUsize = AtomicUsize::new(UNKNOWN);

/// Addresses of the functions that the runtime exports; valid when [`STATE`] is [`PRESENT`].
static FUNCTIONS: [AtomicUsize; 5] = [const { AtomicUsize::new(0) }; 5];
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const NAMES: [&std::ffi::CStr; 5] = [
    c"wayfarer_sync_before",
    c"wayfarer_sync_after",
    c"wayfarer_sync_foretell",
    c"wayfarer_sync_report",
    c"wayfarer_sync_mode",
];
const BEFORE: usize = 0;
const AFTER: usize = 1;
const FORETELL: usize = 2;
const REPORT: usize = 3;
const MODE: usize = 4;

/// The state that the runtime keeps for one object.
pub(crate) type Words = [u64; 2];

type Access = unsafe extern "C" fn(*mut Words, u32);
type Foretell = unsafe extern "C" fn() -> i32;
type Report = unsafe extern "C" fn(i32);
type Mode = unsafe extern "C" fn() -> u32;

/// Answer of the runtime's `mode` in a replay.
const REPLAY: u32 = 2;
/// Answer of the runtime's `foretell` when nothing is foretold.
const NOTHING: i32 = i32::MIN;

/// Results of tries and timed waits, as the trace holds them.
pub(crate) const SUCCESS: i32 = 0;
pub(crate) const BUSY: i32 = 16;
pub(crate) const TIMED_OUT: i32 = 110;

/// Whether it is known that there is no runtime. The one load that every operation pays.
#[inline(always)]
pub(crate) fn is_absent() -> bool {
    STATE.load(Ordering::Relaxed) == ABSENT
}

/// Whether there is a runtime; looks for it the first time.
#[cold]
pub(crate) fn is_present() -> bool {
    match STATE.load(Ordering::Acquire) {
        UNKNOWN => look(),
        state => state == PRESENT,
    }
}

fn look() -> bool {
    crate::note::keep();
    let found = find_functions();
    let state = if found { PRESENT } else { ABSENT };
    STATE.store(state, Ordering::Release);
    found
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn find_functions() -> bool {
    use std::ffi::{c_char, c_void};
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    let everywhere = std::ptr::null_mut();
    NAMES.iter().zip(&FUNCTIONS).all(|(name, function)| {
        // SAFETY: the name is a zero terminated string, and a null handle stands for the default scope.
        let address = unsafe { dlsym(everywhere, name.as_ptr()) };
        function.store(address as usize, Ordering::Release);
        !address.is_null()
    })
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn find_functions() -> bool {
    false
}

/// Address of a function; only when [`is_present`].
fn function(index: usize) -> usize {
    FUNCTIONS[index].load(Ordering::Relaxed)
}

/// Tells the runtime that an access of the object with these words is about to happen.
///
/// # Safety
/// `words` points to the state of an object that lives through the call.
pub(crate) unsafe fn before(words: *mut Words, kind: u32) {
    if is_present() {
        // SAFETY: the runtime exports a function of this type under this name.
        let access = unsafe { std::mem::transmute::<usize, Access>(function(BEFORE)) };
        // SAFETY: the caller's promise.
        unsafe { access(words, kind) }
    }
}

/// Tells the runtime that an access of the object with these words has happened.
///
/// # Safety
/// As for [`before`].
pub(crate) unsafe fn after(words: *mut Words, kind: u32) {
    if is_present() {
        // SAFETY: the runtime exports a function of this type under this name.
        let access = unsafe { std::mem::transmute::<usize, Access>(function(AFTER)) };
        // SAFETY: the caller's promise.
        unsafe { access(words, kind) }
    }
}

/// The recorded result of the try or timed wait that comes next; none unless this is a replay.
pub(crate) fn foretell() -> Option<i32> {
    if !is_present() {
        return None;
    }
    // SAFETY: the runtime exports a function of this type under this name.
    let foretell = unsafe { std::mem::transmute::<usize, Foretell>(function(FORETELL)) };
    // SAFETY: it takes nothing and may be called at any time.
    Some(unsafe { foretell() }).filter(|&result| result != NOTHING)
}

/// Tells the result of a try or a timed wait that was not foretold.
pub(crate) fn report(result: i32) {
    if is_present() {
        // SAFETY: the runtime exports a function of this type under this name.
        let report = unsafe { std::mem::transmute::<usize, Report>(function(REPORT)) };
        // SAFETY: it takes a number and may be called at any time.
        unsafe { report(result) }
    }
}

/// Whether this thread is being replayed.
pub(crate) fn is_replay() -> bool {
    if !is_present() {
        return false;
    }
    // SAFETY: the runtime exports a function of this type under this name.
    let mode = unsafe { std::mem::transmute::<usize, Mode>(function(MODE)) };
    // SAFETY: it takes nothing and may be called at any time.
    unsafe { mode() == REPLAY }
}

/// A question whose answer another thread may change at any moment: a replay gives the recorded answer.
pub(crate) fn answer(ask: impl FnOnce() -> bool) -> bool {
    if is_absent() {
        return ask();
    }
    match foretell() {
        Some(result) => result == SUCCESS,
        None => {
            let answer = ask();
            report(if answer { SUCCESS } else { BUSY });
            answer
        }
    }
}
