//! `libwayfarer_runtime.so`: the library that is preloaded into debuggees.
//!
//! It holds what only a final library can have: the initialiser, the panic handler and the memory
//! functions that the compiler calls. Everything else is in `crates/runtime`.
//!
//! What holds for the shipped file (`readelf -d`, `nm -D`, `nm`):
//! - no `NEEDED` entry, `FLAGS_1` says `NOW INITFIRST`;
//! - it exports the functions of [`exports`], and imports nothing but weak symbols
//!   (`__rseq_offset`, `_r_debug`);
//! - no symbol contains `panic`, `unwrap_failed`, `alloc` or `__tls_get_addr`. A panic path that the
//!   compiler cannot prove dead does not link: the error names `wayfarer_runtime_can_panic`.
#![no_std]

#[cfg(all(feature = "runtime", not(feature = "passthrough")))]
mod exports;
mod memory;
#[cfg(feature = "passthrough")]
mod passthrough;

/// Called by the dynamic loader before the initialisers of all other libraries.
#[used]
#[unsafe(link_section = ".init_array")]
static INITIALISER: unsafe extern "C" fn(i32, *const *const u8, *const *const u8) = initialise;

/// # Safety
/// Called by the loader, once, before any other constructor.
unsafe extern "C" fn initialise(argc: i32, argv: *const *const u8, envp: *const *const u8) {
    // SAFETY: glibc passes initialisers the arguments and environment of the program.
    unsafe {
        #[cfg(feature = "passthrough")]
        passthrough::start(argc, argv, envp);
        #[cfg(all(feature = "runtime", not(feature = "passthrough")))]
        runtime::start(argc, argv, envp);
    }
}

unsafe extern "C" {
    /// Defined nowhere: code that can reach the panic handler does not link.
    fn wayfarer_runtime_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: never linked.
    unsafe { wayfarer_runtime_can_panic() }
}
