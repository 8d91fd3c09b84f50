//! The stack guard and the pointer guard that libc derives from the kernel's random bytes.
//!
//! A program can print them, or pointers that they disguise, so a replay gives them their recorded
//! values. That is possible only before the old ones have been stored.

/// Thread control block: where the guards lie from `%fs:0`.
const STACK_GUARD: usize = 0x28;
const POINTER_GUARD: usize = 0x30;

fn words(random: &[u8; 16]) -> [u64; 2] {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *random;
    // libc keeps a zero byte in the stack guard, so that no string can carry it.
    [
        u64::from_le_bytes([a, b, c, d, e, f, g, h]) & !0xff,
        u64::from_le_bytes([i, j, k, l, m, n, o, p]),
    ]
}

/// Puts the guards of the recorded run in place. The loader's functions are the only ones that can have
/// stored a stack guard by now; if any of them reads it, it stays as it is.
///
/// # Safety
/// `now` is the address of the kernel's random bytes; the loader is mapped from `loader` to `end`.
pub unsafe fn restore(now: usize, recorded: &[u8; 16], loader: usize, end: usize) {
    // SAFETY: as the caller says; the thread control block is mapped.
    unsafe {
        let now = words(&*(now as *const [u8; 16]));
        let recorded = words(recorded);
        let base = wayfarer_entrance::tls::fs_base();
        let stack_guard = (base + STACK_GUARD) as *mut u64;
        let pointer_guard = (base + POINTER_GUARD) as *mut u64;
        if *pointer_guard == now[1] {
            *pointer_guard = recorded[1];
        }
        if *stack_guard == now[0] && !reads_stack_guard(loader, end) {
            *stack_guard = recorded[0];
        }
    }
}

/// Whether code between two addresses loads, compares or subtracts `%fs:0x28`.
///
/// # Safety
/// The code from `place` to `end` must be mapped and readable.
unsafe fn reads_stack_guard(mut place: usize, end: usize) -> bool {
    const TAIL: u32 = STACK_GUARD as u32;
    while place + 9 <= end {
        // SAFETY: inside the mapped image.
        let (head, tail) = unsafe {
            (
                (place as *const u32).read_unaligned(),
                ((place + 5) as *const u32).read_unaligned(),
            )
        };
        // fs prefix, REX.W, opcode, then a modrm and SIB for an absolute address.
        if tail == TAIL
            && matches!(head as u16, 0x4864 | 0x4c64)
            && matches!((head >> 16) as u8, 0x8b | 0x2b | 0x33 | 0x3b)
        {
            return true;
        }
        place += 1;
    }
    false
}
