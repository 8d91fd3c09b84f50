//! Faults and signals that strike our code, with real signals.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use wayfarer_calls::Number;
use wayfarer_calls::error::EINTR;
use wayfarer_calls::memory::{
    MAP_ANONYMOUS, MAP_PRIVATE, NO_FILE, PROT_NONE, PROT_READ, PROT_WRITE,
};
use wayfarer_entrance::signal_frame::{
    SA_RESTART, SA_RESTORER, SA_SIGINFO, SIGSEGV, SigAction, UContext,
};
use wayfarer_entrance::{dispatch, guard, raw};

const SIGUSR2: i32 = 12;

fn handle(signal: i32, flags: u64, handler: unsafe extern "C" fn(i32, *mut u8, *mut u8)) {
    let action = SigAction {
        handler: handler as *const () as usize,
        flags: SA_SIGINFO | SA_RESTORER | flags,
        restorer: dispatch::restorer(),
        mask: 0,
    };
    // SAFETY: the action is live, the handler async-signal-safe.
    let result = unsafe {
        raw::syscall4(
            Number::RT_SIGACTION,
            signal as usize,
            &raw const action as usize,
            0,
            8,
        )
    };
    assert_eq!(result, 0);
}

static SLOT: AtomicUsize = AtomicUsize::new(0);

/// # Safety
/// Called by the kernel as a handler, with a siginfo and a ucontext.
unsafe extern "C" fn on_fault(_signal: i32, _info: *mut u8, context: *mut u8) {
    // SAFETY: the live context; the slot belongs to the one thread that faults.
    if !unsafe { guard::redirect(context, SLOT.as_ptr()) } {
        std::process::abort();
    }
}

extern "C" fn read_there(data: *mut u8) {
    // SAFETY: data points to an address, which may be bad: that is the test.
    unsafe {
        let address = data.cast::<usize>().read();
        data.cast::<usize>()
            .write((address as *const u8).read_volatile() as usize);
    }
}

#[test]
fn an_attempt_survives_bad_addresses() {
    handle(SIGSEGV, 0, on_fault);
    let good = 7u8;
    for round in 0..1000 {
        let bad = round % 2 == 0;
        let mut word = if bad { 16 } else { &raw const good as usize };
        // SAFETY: the function holds nothing.
        let done = unsafe { guard::attempt(SLOT.as_ptr(), read_there, (&raw mut word).cast()) };
        assert_eq!(done, !bad);
        assert_eq!(word, if bad { 16 } else { 7 });
        assert_eq!(SLOT.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn a_copy_survives_bad_addresses() {
    handle(SIGSEGV, 0, on_fault);
    // Two pages, the second of which cannot be touched.
    // SAFETY: fresh memory of our own.
    let page = unsafe {
        let page = raw::syscall6(
            Number::MMAP,
            0,
            8192,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS,
            NO_FILE,
            0,
        ) as usize;
        raw::syscall3(Number::MPROTECT, page + 4096, 4096, PROT_NONE);
        page
    };
    let mut here = [0u8; 700];
    for length in 0..here.len() {
        let there = (page + 4096 - length) as *mut u8;
        // SAFETY: what lies at the target is ours.
        unsafe {
            assert!(guard::copy(here.as_mut_ptr(), there, length));
            assert!(guard::copy(there, here.as_ptr(), length));
            if length > 0 {
                assert!(!guard::copy(here.as_mut_ptr(), there.add(1), length));
                assert!(!guard::copy(there.add(1), here.as_ptr(), length));
            }
        }
    }
}

static PENDING: AtomicU32 = AtomicU32::new(0);

/// # Safety
/// Called by the kernel as a handler, with a siginfo and a ucontext.
unsafe extern "C" fn on_signal(_signal: i32, _info: *mut u8, context: *mut u8) {
    PENDING.store(1, Ordering::SeqCst);
    // SAFETY: the live context.
    let registers = unsafe { &mut UContext::from_handler(context).registers };
    if let Some(rip) = raw::in_interruptible_window(registers.rip) {
        registers.rip = rip;
    }
}

#[test]
fn no_signal_is_lost_before_a_blocking_call() {
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&reader) as usize;
    let mut byte = 0u8;
    let args = [descriptor, &raw mut byte as usize, 1, 0, 0, 0];
    // SAFETY: gettid has no effect.
    let tid = unsafe { raw::syscall0(Number::GETTID) } as usize;
    static GO: AtomicU32 = AtomicU32::new(0);
    static DONE: AtomicBool = AtomicBool::new(false);
    let sender = std::thread::spawn(move || {
        let mut seen = 0;
        while !DONE.load(Ordering::SeqCst) {
            let now = GO.load(Ordering::SeqCst);
            if now == seen {
                std::hint::spin_loop();
                continue;
            }
            seen = now;
            for _ in 0..now % 400 {
                std::hint::spin_loop();
            }
            // SAFETY: the handler is installed.
            unsafe {
                raw::syscall3(
                    Number::TGKILL,
                    std::process::id() as usize,
                    tid,
                    SIGUSR2 as usize,
                );
            }
        }
    });
    for flags in [0, SA_RESTART] {
        handle(SIGUSR2, flags, on_signal);
        for _ in 0..3000 {
            PENDING.store(0, Ordering::SeqCst);
            GO.fetch_add(1, Ordering::SeqCst);
            // SAFETY: reads into `byte`. It would block forever if the signal were missed.
            let result =
                unsafe { raw::syscall_interruptible(Number::READ, &args, PENDING.as_ptr()) };
            assert_eq!(result, EINTR);
            while PENDING.load(Ordering::SeqCst) == 0 {
                std::hint::spin_loop();
            }
        }
    }
    DONE.store(true, Ordering::SeqCst);
    sender.join().expect("the sender");
}
