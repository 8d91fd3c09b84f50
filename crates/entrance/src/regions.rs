//! Which code is ours: the library's text, the stubs, and the vDSO once only we call it.
//!
//! Written at start, while there is one thread; read by signal handlers.

use wayfarer_runtime_abi::atomic::{AtomicUsize, Ordering};

struct Region {
    start: AtomicUsize,
    length: AtomicUsize,
}

/// The text, the stubs of libc and of the loader, those of the vDSO, the vDSO itself, and some more
/// for modules that are to come.
const MOST: usize = 16;

static REGIONS: [Region; MOST] = [const {
    Region {
        start: AtomicUsize::new(0),
        length: AtomicUsize::new(0),
    }
}; MOST];

/// Adds code that is ours from now on. False: no room; a signal in there will be taken for one in
/// the program.
pub fn add(start: usize, length: usize) -> bool {
    for region in &REGIONS {
        let known = region.length.load(Ordering::Relaxed);
        if known == 0 {
            region.start.store(start, Ordering::Relaxed);
            region.length.store(length, Ordering::Release);
            return true;
        }
        if known == length && region.start.load(Ordering::Relaxed) == start {
            return true;
        }
    }
    false
}

/// Whether code at `address` is ours.
pub fn contains(address: usize) -> bool {
    for region in &REGIONS {
        let length = region.length.load(Ordering::Acquire);
        if length == 0 {
            break;
        }
        if address.wrapping_sub(region.start.load(Ordering::Relaxed)) < length {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    #[test]
    fn bounds_are_exact() {
        assert!(super::add(0x1000, 0x10));
        assert!(!super::contains(0xfff));
        assert!(super::contains(0x1000));
        assert!(super::contains(0x100f));
        assert!(!super::contains(0x1010));
    }
}
