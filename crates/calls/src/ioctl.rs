//! Requests of `ioctl`, and what they write.

use crate::call::Out;
use crate::size;

// Terminals.
pub const TCGETS: u32 = 0x5401;
pub const TCSETS: u32 = 0x5402;
pub const TCSETSF: u32 = 0x5404;
pub const TCGETA: u32 = 0x5405;
pub const TCSETA: u32 = 0x5406;
pub const TIOCSCTTY: u32 = 0x540e;
pub const TIOCGPGRP: u32 = 0x540f;
pub const TIOCSPGRP: u32 = 0x5410;
pub const TIOCOUTQ: u32 = 0x5411;
pub const TIOCSTI: u32 = 0x5412;
pub const TIOCGWINSZ: u32 = 0x5413;
pub const TIOCSWINSZ: u32 = 0x5414;
pub const TIOCNOTTY: u32 = 0x5422;
pub const TIOCGETD: u32 = 0x5424;
pub const TIOCGSID: u32 = 0x5429;
// Any descriptor.
pub const FIONREAD: u32 = 0x541b;
pub const FIONBIO: u32 = 0x5421;
pub const FIONCLEX: u32 = 0x5450;
pub const FIOASYNC: u32 = 0x5452;
// Sockets.
pub const FIOSETOWN: u32 = 0x8901;
pub const SIOCSPGRP: u32 = 0x8902;
pub const FIOGETOWN: u32 = 0x8903;
pub const SIOCGPGRP: u32 = 0x8904;
pub const SIOCATMARK: u32 = 0x8905;
pub const SIOCGSTAMP: u32 = 0x8906;
pub const SIOCGSTAMPNS: u32 = 0x8907;
pub const SIOCGIFNAME: u32 = 0x8910;
pub const SIOCGIFCONF: u32 = 0x8912;
pub const SIOCGIFFLAGS: u32 = 0x8913;
pub const SIOCSIFTXQLEN: u32 = 0x8943;

/// The upper two bits of a request say which way bytes go, from the kernel's point of view to the
/// program…
const TO_PROGRAM: u32 = 2;
/// …or to the kernel and nowhere else; the fourteen bits below them say how many.
const TO_KERNEL_ONLY: u32 = 1;

/// What a request writes.
pub const fn output(request: u32) -> Out {
    let length = match request {
        TCGETS | TCGETA => size::TERMINAL,
        TIOCGWINSZ => size::WINDOW,
        TIOCGPGRP | TIOCOUTQ | TIOCGSID | TIOCGETD | FIONREAD => size::INT,
        FIOSETOWN | FIOGETOWN | SIOCGPGRP | SIOCATMARK => size::INT,
        SIOCGSTAMP | SIOCGSTAMPNS => size::TIMESPEC,
        SIOCGIFCONF => size::INTERFACES,
        SIOCGIFNAME | SIOCGIFFLAGS..=SIOCSIFTXQLEN => size::INTERFACE,
        _ if request >> 30 & TO_PROGRAM != 0 => (request >> 16 & 0x3fff) as u16,
        _ => 0,
    };
    if length == 0 {
        Out::None
    } else {
        Out::Fixed(2, length)
    }
}

/// Whether a request is known to write nothing.
pub const fn writes_nothing(request: u32) -> bool {
    let is_listed = matches!(
        request,
        TCSETS..=TCSETSF
            | TCSETA..=TIOCSCTTY
            | TIOCSPGRP
            | TIOCSTI
            | TIOCSWINSZ
            | FIONBIO
            | TIOCNOTTY
            | FIONCLEX..=FIOASYNC
            | SIOCSPGRP
    );
    is_listed || request >> 30 == TO_KERNEL_ONLY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_tell_their_length() {
        assert_eq!(output(TCGETS), Out::Fixed(2, 36));
        assert_eq!(output(SIOCGIFFLAGS + 1), Out::Fixed(2, 40));
        // EVIOCGID: eight bytes to the program.
        assert_eq!(output(0x8008_4502), Out::Fixed(2, 8));
        // EVIOCSCLOCKID: four bytes to the kernel.
        assert_eq!(output(0x4004_45a0), Out::None);
        assert!(writes_nothing(0x4004_45a0));
        assert!(!writes_nothing(0x1234));
    }
}
