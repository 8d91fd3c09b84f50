//! The memory of an invented process.

use std::collections::BTreeMap;

const PAGE: u64 = 4096;

/// Bytes by page; the rest is not mapped.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    pages: BTreeMap<u64, Vec<u8>>,
}

impl Memory {
    /// Puts bytes in place; the pages that they lie on are mapped, with zeroes around them.
    pub fn map(&mut self, address: u64, bytes: &[u8]) {
        for (at, byte) in (address..).zip(bytes) {
            let page = self.pages.entry(at / PAGE);
            let page = page.or_insert_with(|| vec![0; PAGE as usize]);
            page[(at % PAGE) as usize] = *byte;
        }
    }

    /// Writes where something is mapped; false: nothing was written.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let mapped = self.read(address, bytes.len() as u64).len() == bytes.len();
        if mapped {
            self.map(address, bytes);
        }
        mapped
    }

    /// As many bytes as can be read.
    pub fn read(&self, address: u64, length: u64) -> Vec<u8> {
        let byte = |at: u64| {
            let page = self.pages.get(&(at / PAGE))?;
            page.get((at % PAGE) as usize).copied()
        };
        let all = (0..length).map(|offset| byte(address.checked_add(offset)?));
        all.map_while(|byte| byte).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_written_cannot_be_read() {
        let mut memory = Memory::default();
        memory.map(0x1ffe, &[1, 2, 3]);
        assert_eq!(memory.read(0x1ffd, 5), [0, 1, 2, 3, 0]);
        assert_eq!(memory.read(0x2fff, 8), [0]);
        assert!(memory.read(0, 1).is_empty() && memory.read(u64::MAX, 2).is_empty());
        assert!(!memory.write(0x2fff, &[9, 9]) && memory.write(0x2ffe, &[8, 9]));
        assert_eq!(memory.read(0x2ffe, 2), [8, 9]);
    }
}
