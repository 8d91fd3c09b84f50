//! The path of an open file.

use wayfarer_calls::Number;
use wayfarer_entrance::raw;

/// The path of an open file; its length.
pub fn path_of(descriptor: usize, into: &mut [u8; 4096]) -> usize {
    let mut name = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0\0";
    let mut digits = [0u8; 12];
    let mut count = 0;
    let mut left = descriptor as u32;
    loop {
        if let Some(place) = digits.get_mut(count) {
            *place = b'0' + (left % 10) as u8;
        }
        count += 1;
        left /= 10;
        if left == 0 || count >= 11 {
            break;
        }
    }
    let mut index = 0;
    while index < count {
        if let (Some(to), Some(from)) = (name.get_mut(14 + index), digits.get(count - 1 - index)) {
            *to = *from;
        }
        index += 1;
    }
    // SAFETY: name and buffer live on the caller's stack.
    let length = unsafe {
        raw::syscall6(
            Number::READLINK,
            (&raw const name) as usize,
            into.as_mut_ptr() as usize,
            4095,
            0,
            0,
            0,
        )
    };
    if length > 0 { length as usize } else { 0 }
}
