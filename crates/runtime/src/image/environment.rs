//! Our two variables in the environment: taken out before the program can see them.

use wayfarer_runtime_abi::PRELOAD_PATH;
use wayfarer_runtime_abi::atomic::{AtomicUsize, Ordering};

const SESSION: &[u8] = b"WAYFARER_SESSION=";
const PRELOAD: &[u8] = b"LD_PRELOAD=";
const AT_EXECFN: usize = 31;

static EXECFN: AtomicUsize = AtomicUsize::new(0);
static EXECFN_ENTRY: AtomicUsize = AtomicUsize::new(0);

/// The name under which the kernel started this image; null if unknown.
pub fn execfn() -> *const u8 {
    EXECFN.load(Ordering::Relaxed) as *const u8
}

/// Replay: gives the image the name under which the recorded one was started, at the address that it
/// had. It ends where the present name ends; the padding of our variable, right below, makes room.
///
/// # Safety
/// Only after [`take_out`], before the program runs.
pub unsafe fn restore_execfn(recorded: &[u8]) {
    let present = EXECFN.load(Ordering::Relaxed) as *mut u8;
    let entry = EXECFN_ENTRY.load(Ordering::Relaxed) as *mut [usize; 2];
    if present.is_null() || entry.is_null() || recorded.is_empty() {
        return;
    }
    // SAFETY: strings of the kernel's on the writable stack; the space below the present name is the
    // padding of our own variable, which is not needed any more.
    unsafe {
        let mut length = 0;
        while *present.add(length) != 0 {
            length += 1;
        }
        if recorded.len() > length + wayfarer_runtime_abi::BASE_PADDING {
            return;
        }
        let place = present.add(length).sub(recorded.len());
        core::ptr::copy_nonoverlapping(recorded.as_ptr(), place, recorded.len());
        *entry = [AT_EXECFN, place as usize];
    }
}

/// # Safety
/// The string must end with a zero.
unsafe fn starts_with(string: *const u8, name: &[u8]) -> bool {
    // SAFETY: the loop stops at the first difference, at the latest at the terminator.
    unsafe {
        let mut index = 0;
        while index < name.len() {
            if *string.add(index) != *name.get_unchecked(index) {
                return false;
            }
            index += 1;
        }
        true
    }
}

/// Removes our variables and returns the process of the session that we are.
///
/// # Safety
/// `variables` must be the environment as the kernel laid it on the stack.
pub unsafe fn take_out(variables: *mut *mut u8) -> Option<u32> {
    let mut session = None;
    // SAFETY: a null terminated array of writable strings.
    unsafe {
        let mut count = 0;
        while !(*variables.add(count)).is_null() {
            if starts_with(*variables.add(count), SESSION) {
                session = number(*variables.add(count));
            }
            count += 1;
        }
        session?;
        find_execfn(variables.add(count + 1).cast());
        let mut kept = 0;
        let mut index = 0;
        while index < count {
            let string = *variables.add(index);
            index += 1;
            if starts_with(string, SESSION) {
                continue;
            }
            if starts_with(string, PRELOAD) && !without_ours(string) {
                continue;
            }
            *variables.add(kept) = string;
            kept += 1;
        }
        while kept < count {
            *variables.add(kept) = core::ptr::null_mut();
            kept += 1;
        }
    }
    session
}

/// # Safety
/// The string must end with a zero.
unsafe fn number(string: *const u8) -> Option<u32> {
    let mut value = 0u32;
    let mut index = 0;
    while index < 8 {
        // SAFETY: stops at the first byte that is not a digit.
        let digit = unsafe { *string.add(SESSION.len() + index) };
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        value = value << 4 | u32::from(digit);
        index += 1;
    }
    Some(value)
}

/// Leaves only the user's own preloads in an `LD_PRELOAD=` string; false if there are none.
///
/// # Safety
/// The string must end with a zero and be writable.
unsafe fn without_ours(string: *mut u8) -> bool {
    // SAFETY: the string lies on the stack, writable; it only gets shorter.
    unsafe {
        let value = string.add(PRELOAD.len());
        if !starts_with(value, PRELOAD_PATH.as_bytes()) {
            return true;
        }
        let mut rest = value.add(PRELOAD_PATH.len());
        if *rest != b':' {
            return false;
        }
        rest = rest.add(1);
        let mut to = value;
        loop {
            *to = *rest;
            if *rest == 0 {
                return true;
            }
            to = to.add(1);
            rest = rest.add(1);
        }
    }
}

/// # Safety
/// The auxiliary vector must end with its null entry.
unsafe fn find_execfn(mut vector: *const [usize; 2]) {
    // SAFETY: the auxiliary vector ends with a zero entry.
    unsafe {
        loop {
            let [kind, value] = *vector;
            if kind == 0 {
                return;
            }
            if kind == AT_EXECFN {
                EXECFN.store(value, Ordering::Relaxed);
                EXECFN_ENTRY.store(vector as usize, Ordering::Relaxed);
            }
            vector = vector.add(1);
        }
    }
}
