//! What `prctl`, `arch_prctl` and `seccomp` are asked to do, and what they write.

use crate::call::Out;
use crate::size;

// prctl.
pub const PR_GET_PDEATHSIG: usize = 2;
pub const PR_GET_UNALIGN: usize = 5;
pub const PR_GET_FPEMU: usize = 9;
pub const PR_SET_NAME: usize = 15;
pub const PR_GET_NAME: usize = 16;
pub const PR_GET_ENDIAN: usize = 19;
pub const PR_SET_SECCOMP: usize = 22;
pub const PR_GET_TSC: usize = 25;
pub const PR_SET_TSC: usize = 26;
pub const PR_GET_CHILD_SUBREAPER: usize = 37;
pub const PR_GET_TID_ADDRESS: usize = 40;
pub const PR_SET_SYSCALL_USER_DISPATCH: usize = 59;
/// `PR_SET_TSC`: read as always, or with a SIGSEGV.
pub const PR_TSC_ENABLE: usize = 1;
pub const PR_TSC_SIGSEGV: usize = 2;
/// `PR_SET_SYSCALL_USER_DISPATCH`
pub const PR_SYS_DISPATCH_OFF: usize = 0;
pub const PR_SYS_DISPATCH_ON: usize = 1;
/// Bytes of the name of a thread.
const NAME: u16 = 16;

/// What an option of `prctl` writes.
pub const fn prctl_output(option: usize) -> Out {
    match option {
        PR_GET_PDEATHSIG
        | PR_GET_UNALIGN
        | PR_GET_FPEMU
        | PR_GET_ENDIAN
        | PR_GET_TSC
        | PR_GET_CHILD_SUBREAPER => Out::Fixed(1, size::INT),
        PR_GET_NAME => Out::Fixed(1, NAME),
        PR_GET_TID_ADDRESS => Out::Fixed(1, size::LONG),
        _ => Out::None,
    }
}

// seccomp.
pub const SECCOMP_SET_MODE_FILTER: usize = 1;
/// `PR_SET_SECCOMP`
pub const SECCOMP_MODE_FILTER: usize = 2;
