//! What a session needs before `main`.
//!
//! std keeps a table of all threads for its message about stack overflows, under a lock of its own: which
//! thread's entry makes the table allocate is a matter of time. It does without when another thread handles
//! the signals of a fault already. So in a session we do, and a fault ends the program as the kernel would.
//!
//! The first thread that starts makes what std needs in each of them, and two that start together both make it, of
//! which one is given up again. So in a session one has started, and ended, before any other.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod faults {
    use crate::session;

    const SIGBUS: i32 = 7;
    const SIGSEGV: i32 = 11;
    const DEFAULT: usize = 0;

    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
    }

    #[used]
    #[unsafe(link_section = ".init_array")]
    static START: extern "C" fn() = start;

    extern "C" fn start() {
        if session::is_present() {
            for number in [SIGSEGV, SIGBUS] {
                // SAFETY: the handler is a function of the right type that calls nothing but `signal`.
                unsafe { signal(number, end as extern "C" fn(i32) as usize) };
            }
            if let Ok(thread) = std::thread::Builder::new().spawn(|| ()) {
                // It does nothing that could fail.
                let _ = thread.join();
            }
        }
    }

    /// The default action again; the instruction that comes back then meets it.
    extern "C" fn end(number: i32) {
        // SAFETY: `signal` may be called in a handler.
        unsafe { signal(number, DEFAULT) };
    }
}
