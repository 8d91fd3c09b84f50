//! Errors as a call returns them: negative.

pub const EPERM: isize = -1;
pub const ESRCH: isize = -3;
pub const EINTR: isize = -4;
pub const EBADF: isize = -9;
pub const EAGAIN: isize = -11;
pub const ENOMEM: isize = -12;
pub const EFAULT: isize = -14;
pub const EBUSY: isize = -16;
pub const EINVAL: isize = -22;
pub const EFBIG: isize = -27;
pub const ENOSPC: isize = -28;
pub const ENOSYS: isize = -38;
pub const EOVERFLOW: isize = -75;
pub const ETIMEDOUT: isize = -110;
pub const EINPROGRESS: isize = -115;
pub const EDQUOT: isize = -122;

/// The lowest of them: results from here to −1 are errors.
pub const LOWEST: isize = -4095;

/// Whether a result is an error.
#[inline(always)]
pub const fn is_error(result: isize) -> bool {
    result >= LOWEST && result < 0
}
