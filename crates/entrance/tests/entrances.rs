//! Calls get in by each road, and the program's registers survive.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use wayfarer_calls::Number;
use wayfarer_calls::error::ENOSYS;
use wayfarer_calls::memory::{
    MAP_ANONYMOUS, MAP_PRIVATE, NO_FILE, PROT_EXEC, PROT_READ, PROT_WRITE,
};
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::patch::{self, Outcome};
use wayfarer_entrance::{Hooks, dispatch, raw, set_hooks, vdso};
use wayfarer_runtime_abi::sites::{Site, kind};

static CALLS: AtomicU32 = AtomicU32::new(0);
static LAST_RIP: AtomicUsize = AtomicUsize::new(0);
static TRAPS: AtomicU32 = AtomicU32::new(0);

/// # Safety
/// The frame must be the live one of this thread's call.
unsafe extern "C" fn on_call(frame: *mut Frame) {
    // SAFETY: the trampoline's live frame.
    let frame = unsafe { &mut *frame };
    if frame.number() == Number::GETPPID {
        CALLS.fetch_add(1, Ordering::Relaxed);
        LAST_RIP.store(frame.rip, Ordering::Relaxed);
    }
    let [a, b, c, d, e, f] = *frame.arguments();
    // SAFETY: the program asked for it.
    frame.rax = unsafe { raw::syscall6(frame.number(), a, b, c, d, e, f) } as usize;
}

/// # Safety
/// None: it is unsafe because the hook of that name is.
unsafe extern "C" fn no_sigsys(_: *mut u8, _: *mut u8) {}
/// # Safety
/// None: it is unsafe because the hook of that name is.
unsafe extern "C" fn no_child(_: usize, _: *mut Frame) {}
/// # Safety
/// None: it is unsafe because the hook of that name is.
unsafe extern "C" fn no_vfork(_: *mut Frame) -> isize {
    ENOSYS
}
/// # Safety
/// None: it is unsafe because the hook of that name is.
unsafe extern "C" fn after_vfork(_: *mut Frame) {}

/// A page of machine code: `bytes` at its start.
fn code(bytes: &[u8]) -> usize {
    // SAFETY: fresh memory of our own.
    unsafe {
        let page = raw::syscall6(
            Number::MMAP,
            0,
            4096,
            PROT_READ | PROT_WRITE | PROT_EXEC,
            MAP_PRIVATE | MAP_ANONYMOUS,
            NO_FILE,
            0,
        ) as usize;
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), page as *mut u8, bytes.len());
        page
    }
}

fn site(offset: u32, kind: u8, length: u8, promised: &[u8]) -> Site {
    let mut bytes = [0; 20];
    bytes[..promised.len()].copy_from_slice(promised);
    Site {
        offset,
        number: 0,
        kind,
        length,
        spare: 0,
        bytes,
    }
}

/// Calls machine code with a mark in every register that a call preserves; true if all survive.
fn call_and_compare(function: usize) -> (isize, bool) {
    let result: isize;
    let wrong: usize;
    // SAFETY: the code returns and changes no more than a system call may.
    unsafe {
        std::arch::asm!(
            "push rbx", "push rbp",
            "mov rbx, 0x1111", "mov rbp, 0x2222", "mov r12, 0x3333", "mov r13, 0x4444",
            "mov r14, 0x5555", "mov rdi, 0x6666", "mov rsi, 0x7777", "mov rdx, 0x8888",
            "mov r8, 0x9999", "mov r9, 0xaaaa", "mov r10, 0xbbbb",
            "movq xmm0, rbx", "movq xmm7, rbp", "movq xmm15, r12",
            "call r15",
            "xor rbx, 0x1111", "xor rbp, 0x2222", "xor r12, 0x3333", "xor r13, 0x4444",
            "xor r14, 0x5555", "xor rdi, 0x6666", "xor rsi, 0x7777", "xor rdx, 0x8888",
            "xor r8, 0x9999", "xor r9, 0xaaaa", "xor r10, 0xbbbb",
            "or rbx, rbp", "or rbx, r12", "or rbx, r13", "or rbx, r14", "or rbx, rdi",
            "or rbx, rsi", "or rbx, rdx", "or rbx, r8", "or rbx, r9", "or rbx, r10",
            "movq rcx, xmm0", "xor rcx, 0x1111", "or rbx, rcx",
            "movq rcx, xmm7", "xor rcx, 0x2222", "or rbx, rcx",
            "movq rcx, xmm15", "xor rcx, 0x3333", "or rbx, rcx",
            "mov rcx, rbx",
            "pop rbp", "pop rbx",
            in("r15") function, lateout("rax") result, lateout("rcx") wrong,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _, out("r12") _, out("r13") _,
            out("r14") _, out("rdi") _, out("rsi") _, out("rdx") _,
            out("xmm0") _, out("xmm7") _, out("xmm15") _,
        );
    }
    (result, wrong == 0)
}

#[test]
fn every_road_leads_to_the_hook() {
    // SAFETY: nothing is patched or armed yet.
    unsafe {
        set_hooks(&Hooks {
            dispatch: on_call,
            call: wayfarer_entrance::pass_through_by_name,
            foreign_sigsys: no_sigsys,
            child_started: no_child,
            vfork_before: no_vfork,
            vfork_after: after_vfork,
            clock_gettime: vdso::original_clock_gettime,
            gettimeofday: vdso::original_gettimeofday,
            time: vdso::original_time,
            getcpu: vdso::original_getcpu,
            clock_getres: vdso::original_clock_getres,
        });
    }
    dispatch::count_traps_in(&TRAPS);
    let parent = std::os::unix::process::parent_id() as isize;
    let counts = || (CALLS.load(Ordering::Relaxed), TRAPS.load(Ordering::Relaxed));

    // mov $110,%eax; syscall; ret
    let before = [0xb8, 110, 0, 0, 0, 0x0f, 0x05, 0xc3];
    let place = code(&before);
    let sites = [
        site(0, kind::BEFORE, 5, &before[..7]),
        site(64, kind::BEFORE, 5, &before[..7]),
    ];
    // SAFETY: the page is ours, and no thread runs in it.
    let outcome = unsafe { patch::patch_module(place, &sites) };
    assert!(
        matches!(
            outcome,
            Outcome {
                patched: 1,
                refused: 1,
                ..
            }
        ),
        "{outcome:?}"
    );
    assert_eq!(call_and_compare(place), (parent, true));
    assert_eq!(counts(), (1, 0));
    assert_eq!(LAST_RIP.load(Ordering::Relaxed), place + 7);
    assert!(dispatch::is_own_text(outcome.stubs));

    // mov $110,%al with the rest zeroed before; syscall; add $1,%rax; ret
    let after = [
        0x31, 0xc0, 0xb0, 110, 0x0f, 0x05, 0x48, 0x83, 0xc0, 0x01, 0xc3,
    ];
    let place = code(&after);
    // SAFETY: as above.
    let outcome = unsafe { patch::patch_module(place, &[site(4, kind::AFTER, 6, &after[4..10])]) };
    assert_eq!((outcome.patched, outcome.refused), (1, 0));
    assert_eq!(call_and_compare(place), (parent + 1, true));
    assert_eq!(counts(), (2, 0));
    assert_eq!(LAST_RIP.load(Ordering::Relaxed), place + 6);

    let place = code(&before);
    if !dispatch::install_handler() || !dispatch::arm() {
        println!("skipped: this kernel has no Syscall User Dispatch");
        return;
    }
    let got = call_and_compare(place);
    dispatch::disarm();
    assert_eq!(got, (parent, true));
    assert_eq!(counts(), (3, 1));
    assert_eq!(LAST_RIP.load(Ordering::Relaxed), place + 7);
    assert_eq!(call_and_compare(place), (parent, true));
    assert_eq!(counts(), (3, 1));
}
