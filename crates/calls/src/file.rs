//! Flags of calls on files, and what `fcntl` is asked to do and writes.

use crate::call::Out;
use crate::size;

/// In place of a directory's descriptor: the working directory.
pub const AT_FDCWD: usize = -100isize as usize;
pub const AT_EMPTY_PATH: usize = 0x1000;
pub const O_ACCMODE: usize = 3;
pub const O_CLOEXEC: usize = 0o2_000_000;
/// `lseek`: from where it is.
pub const SEEK_CUR: usize = 1;
/// `fallocate`
pub const FALLOC_FL_KEEP_SIZE: usize = 1;
pub const FALLOC_FL_PUNCH_HOLE: usize = 2;
/// `close_range`: they stay open until an exec.
pub const CLOSE_RANGE_CLOEXEC: usize = 4;

// fcntl.
pub const F_DUPFD: usize = 0;
pub const F_GETFD: usize = 1;
pub const F_GETFL: usize = 3;
pub const F_GETLK: usize = 5;
pub const F_SETLKW: usize = 7;
pub const F_GETOWN_EX: usize = 16;
pub const F_OFD_GETLK: usize = 36;
pub const F_OFD_SETLKW: usize = 38;
pub const F_DUPFD_CLOEXEC: usize = 1030;
pub const F_GET_RW_HINT: usize = 1035;
pub const F_GET_FILE_RW_HINT: usize = 1037;
pub const FD_CLOEXEC: isize = 1;

/// What a command of `fcntl` writes.
pub const fn fcntl_output(command: usize) -> Out {
    match command {
        F_GETLK | F_OFD_GETLK => Out::Fixed(2, size::LOCK),
        F_GETOWN_EX => Out::Fixed(2, size::OWNER),
        F_GET_RW_HINT | F_GET_FILE_RW_HINT => Out::Fixed(2, size::LONG),
        _ => Out::None,
    }
}

/// Whether a command of `fcntl` may wait: only for a lock.
pub const fn fcntl_blocks(command: usize) -> bool {
    matches!(command, F_SETLKW | F_OFD_SETLKW)
}
