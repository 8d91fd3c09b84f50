//! What this process inherited from its own parent, before Rust's start-up code changed it.
//!
//! A debuggee must start exactly as it would without us. Rust ignores SIGPIPE and opens closed
//! standard descriptors before `main`; a function in `.init_array` runs earlier and takes notes. SIGCHLD is
//! noted too, because this process needs it for itself.

use std::sync::atomic::{AtomicU32, Ordering};

const SIGPIPE_IGNORED: u32 = 8;
const SIGCHLD_IGNORED: u32 = 16;

/// Bits 0 to 2: that standard descriptor was closed. [`SIGPIPE_IGNORED`], [`SIGCHLD_IGNORED`].
static NOTES: AtomicU32 = AtomicU32::new(0);

extern "C" fn take_notes() {
    let mut notes = 0;
    for descriptor in 0..3 {
        // SAFETY: F_GETFD only looks at a descriptor number and has no memory arguments.
        if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
            notes |= 1 << descriptor;
        }
    }
    for (signal, note) in [
        (libc::SIGPIPE, SIGPIPE_IGNORED),
        (libc::SIGCHLD, SIGCHLD_IGNORED),
    ] {
        // SAFETY: an all-zero `sigaction` is a valid value, and the call only fills it in.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &mut action) == 0
                && action.sa_sigaction == libc::SIG_IGN
            {
                notes |= note;
            }
        }
    }
    NOTES.store(notes, Ordering::Relaxed);
}

// SAFETY: `.init_array` holds pointers to functions of this signature; the loader calls each once.
#[unsafe(link_section = ".init_array")]
#[used]
static TAKE_NOTES: extern "C" fn() = take_notes;

/// Whether SIGPIPE was ignored when this process started.
pub fn sigpipe_was_ignored() -> bool {
    NOTES.load(Ordering::Relaxed) & SIGPIPE_IGNORED != 0
}

/// Whether SIGCHLD was ignored when this process started.
pub fn sigchld_was_ignored() -> bool {
    NOTES.load(Ordering::Relaxed) & SIGCHLD_IGNORED != 0
}

/// Which of the standard descriptors were closed when this process started.
pub fn closed_descriptors() -> impl Iterator<Item = i32> {
    let notes = NOTES.load(Ordering::Relaxed);
    (0..3).filter(move |descriptor| notes & (1 << descriptor) != 0)
}
