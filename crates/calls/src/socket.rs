//! Families, kinds, flags and options of sockets.

pub const AF_UNIX: u16 = 1;
pub const AF_INET: u16 = 2;
pub const AF_INET6: u16 = 10;

/// A stream of bytes.
pub const SOCK_STREAM: usize = 1;
/// The bits of a kind that are not flags.
pub const SOCK_TYPE: usize = 0xf;

pub const SOL_SOCKET: usize = 1;
pub const SO_TYPE: usize = 3;
pub const SCM_RIGHTS: u32 = 1;

pub const MSG_DONTROUTE: usize = 0x4;
pub const MSG_DONTWAIT: usize = 0x40;
pub const MSG_WAITALL: usize = 0x100;
pub const MSG_NOSIGNAL: usize = 0x4000;
pub const MSG_MORE: usize = 0x8000;
pub const MSG_CMSG_CLOEXEC: usize = 0x4000_0000;
