//! What this machine offers: each probe tries the thing itself in a child and reports how it went.

use std::io;

const PR_SET_SYSCALL_USER_DISPATCH: libc::c_int = 59;
const PR_SYS_DISPATCH_ON: libc::c_ulong = 1;
const PR_SYS_DISPATCH_OFF: libc::c_ulong = 0;
/// `PER_QUERY`-style question: changes nothing.
const ASK_PERSONALITY: libc::c_ulong = 0xffff_ffff;

/// Runs `attempt` in a forked child; it returns 0 or an errno.
fn in_child(attempt: fn() -> i32) -> io::Result<()> {
    // SAFETY: `attempt` makes system calls only, and the child leaves by `_exit`.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let code = attempt();
            // SAFETY: ends the child at once, without destructors.
            unsafe { libc::_exit(code) }
        }
        child => {
            let mut status = 0;
            // SAFETY: the status is written to a local variable.
            while unsafe { libc::waitpid(child, &mut status, 0) } == -1 {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
            match status {
                0 => Ok(()),
                status if status & 0x7f == 0 => {
                    Err(io::Error::from_raw_os_error((status >> 8) & 0xff))
                }
                status => Err(io::Error::other(format!(
                    "the attempt was ended by signal {}",
                    status & 0x7f
                ))),
            }
        }
    }
}

fn errno_or_zero(result: libc::c_long) -> i32 {
    if result == -1 {
        io::Error::last_os_error().raw_os_error().unwrap_or(1)
    } else {
        0
    }
}

/// Syscall User Dispatch can be armed.
pub fn dispatch() -> io::Result<()> {
    in_child(|| {
        static SELECTOR: u8 = 0;
        // SAFETY: the selector is a live byte that says "allow", so no call is caught meanwhile.
        unsafe {
            let armed = libc::prctl(
                PR_SET_SYSCALL_USER_DISPATCH,
                PR_SYS_DISPATCH_ON,
                0usize,
                0usize,
                &SELECTOR as *const u8,
            );
            let code = errno_or_zero(armed.into());
            libc::prctl(
                PR_SET_SYSCALL_USER_DISPATCH,
                PR_SYS_DISPATCH_OFF,
                0usize,
                0usize,
                0usize,
            );
            code
        }
    })
}

/// Address space randomisation can be switched off for a child.
pub fn fixed_addresses() -> io::Result<()> {
    in_child(|| {
        // SAFETY: changes only how this child's next program is laid out.
        unsafe {
            let now = libc::personality(ASK_PERSONALITY);
            errno_or_zero(
                libc::personality(now as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong)
                    .into(),
            )
        }
    })
}

/// A parent may trace its child.
pub fn tracing() -> io::Result<()> {
    in_child(|| {
        // SAFETY: the child asks to be traced and then exits; nothing is dereferenced.
        errno_or_zero(unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0usize, 0usize) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_errno_comes_back_from_the_child() {
        assert!(in_child(|| 0).is_ok());
        assert_eq!(
            in_child(|| libc::EPERM).unwrap_err().raw_os_error(),
            Some(libc::EPERM)
        );
    }
}
