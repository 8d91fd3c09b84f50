//! The code that a program falls on if we die while it runs into what we left in it: a handler for SIGTRAP.
//!
//! While the program is traced, its tracer takes every trap and the handler never runs. Afterwards a trap is either
//! ours, and the thread goes on as if nothing had been, or the program's own, and it gets what it would have got.
//!
//! The code depends on nothing and on no place. It lies in memory that is readable and executable only; what it needs to
//! know stands after it, written from outside (see [`crate::cushion`]).

use std::arch::global_asm;

/// Where the program's own action begins: handler, flags, restorer, mask, as the kernel takes them.
pub const OLD_ACTION: usize = 0x400;
/// Where the action that installs the handler stands.
pub const NEW_ACTION: usize = 0x420;
/// How many places of the table may be in use.
pub const COUNT: usize = 0x440;
/// Breakpoints: the address and, in eight bytes, what was there.
pub const TABLE: usize = 0x450;
/// Bytes of the whole.
pub const SIZE: usize = 0x1_0000;
/// Where the handler returns to.
pub const RESTORER: usize = 0x3f0;
/// `si_errno` of a trap whose thread is to continue at `si_addr`, wherever it stands.
pub const REWOUND: i32 = 0x5741_5946;

const RIP: usize = 168;
const FLAGS: usize = 176;

global_asm!(
    ".pushsection .rodata.wayfarer_cushion, \"a\", @progbits",
    ".balign 16",
    // The crate may be compiled in several pieces: all must know the name.
    ".globl wayfarer_cushion_code",
    ".hidden wayfarer_cushion_code",
    "wayfarer_cushion_code:",
    "100:",
    "endbr64",
    // The kernel's reason: 0x80 a breakpoint instruction; 1, 2 and 4 steps and debug registers.
    "mov eax, [rsi + 8]",
    "cmp eax, 0x80",
    "je 10f",
    "cmp eax, 1",
    "je 2f",
    "cmp eax, 2",
    "je 2f",
    "cmp eax, 4",
    "jne 50f",
    // The instruction of a breakpoint in a debug register is still to be executed.
    "or qword ptr [rdx + {flags}], 0x10000",
    "2:",
    "and qword ptr [rdx + {flags}], ~0x100",
    "ret",
    // A breakpoint. Its tracer may have put the thread before it already.
    "10:",
    "cmp dword ptr [rsi + 4], {rewound}",
    "jne 11f",
    "mov rax, [rsi + 16]",
    "mov [rdx + {rip}], rax",
    "ret",
    "11:",
    "mov rcx, [rdx + {rip}]",
    "dec rcx",
    "cmp byte ptr [rcx], 0xcc",
    "je 20f",
    // Gone by now: the thread executes what is there instead. The two-byte form is never ours.
    "test ecx, 0xfff",
    "jz 12f",
    "cmp word ptr [rcx - 1], 0x03cd",
    "je 50f",
    "12:",
    "mov [rdx + {rip}], rcx",
    "ret",
    // Still there: ours, if the table says so.
    "20:",
    "lea r8, [rip + 100b + {table}]",
    "mov r9, [rip + 100b + {count}]",
    "21:",
    "test r9, r9",
    "jz 50f",
    "cmp [r8], rcx",
    "je 30f",
    "add r8, 16",
    "dec r9",
    "jmp 21b",
    // It was not taken out yet: done here. All registers come back from the signal's frame.
    "30:",
    "mov r12, rdi",
    "mov r13, rsi",
    "mov r14, rdx",
    "mov r15, rcx",
    "mov rbx, r8",
    "mov eax, {openat}",
    "mov rdi, -100",
    "lea rsi, [rip + 60f]",
    "mov edx, 0x80002",
    "xor r10d, r10d",
    "syscall",
    "test eax, eax",
    "js 31f",
    "mov ebp, eax",
    "mov eax, {pwrite64}",
    "mov edi, ebp",
    "lea rsi, [rbx + 8]",
    "mov edx, 1",
    "mov r10, r15",
    "syscall",
    "mov eax, {close}",
    "mov edi, ebp",
    "syscall",
    "cmp byte ptr [r15], 0xcc",
    "jne 32f",
    "31:",
    "mov eax, {mprotect}",
    "mov rdi, r15",
    "and rdi, -4096",
    "mov esi, 4096",
    "mov edx, 7",
    "syscall",
    "test eax, eax",
    "js 33f",
    "mov al, [rbx + 8]",
    "mov [r15], al",
    "mov eax, {mprotect}",
    "mov rdi, r15",
    "and rdi, -4096",
    "mov esi, 4096",
    "mov edx, 5",
    "syscall",
    "32:",
    "mov [r14 + {rip}], r15",
    "ret",
    "33:",
    "mov rdi, r12",
    "mov rsi, r13",
    "mov rdx, r14",
    // Not ours: what the program wants done with it.
    "50:",
    "mov rax, [rip + 100b + {old}]",
    "cmp rax, 1",
    "ja 52f",
    "je 51f",
    // The default action: put in place again, and the signal once more, which comes when this one is over.
    "mov r12, rsi",
    "mov eax, {rt_sigaction}",
    "mov edi, 5",
    "lea rsi, [rip + 100b + {old}]",
    "xor edx, edx",
    "mov r10d, 8",
    "syscall",
    "mov eax, {getpid}",
    "syscall",
    "mov ebx, eax",
    "mov eax, {gettid}",
    "syscall",
    "mov esi, eax",
    "mov edi, ebx",
    "mov edx, 5",
    "mov r10, r12",
    "mov eax, {rt_tgsigqueueinfo}",
    "syscall",
    "51:",
    "ret",
    // A handler: called as the kernel would, returning to where it would.
    "52:",
    "test dword ptr [rip + 100b + {old} + 8], 0x04000000",
    "jz 53f",
    "mov rcx, [rip + 100b + {old} + 16]",
    "mov [rsp], rcx",
    "53:",
    "jmp rax",
    "60:",
    ".asciz \"/proc/self/mem\"",
    ".org 100b + {restorer}",
    "mov eax, {rt_sigreturn}",
    "syscall",
    ".org 100b + {old}",
    ".popsection",
    flags = const FLAGS,
    rip = const RIP,
    rewound = const REWOUND,
    table = const TABLE,
    count = const COUNT,
    old = const OLD_ACTION,
    restorer = const RESTORER,
    openat = const libc::SYS_openat,
    pwrite64 = const libc::SYS_pwrite64,
    close = const libc::SYS_close,
    mprotect = const libc::SYS_mprotect,
    rt_sigaction = const libc::SYS_rt_sigaction,
    getpid = const libc::SYS_getpid,
    gettid = const libc::SYS_gettid,
    rt_tgsigqueueinfo = const libc::SYS_rt_tgsigqueueinfo,
    rt_sigreturn = const libc::SYS_rt_sigreturn,
);

unsafe extern "C" {
    #[link_name = "wayfarer_cushion_code"]
    static CODE: [u8; OLD_ACTION];
}

/// The handler, for offset 0.
pub fn code() -> &'static [u8; OLD_ACTION] {
    // SAFETY: the symbol is defined above, in read-only data, with exactly this many bytes.
    unsafe { &CODE }
}
