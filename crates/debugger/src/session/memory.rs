//! The memory of a process, page by page, remembered for the time of a stop.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use wayfarer_backend::{Backend, MemoryRange, MemoryWrite, ProcessId};
use wayfarer_symbols::location::{Memory, Unreadable};

use crate::{DebuggerError, Result};

const PAGE: u64 = 4096;
/// Pages fetched behind the ones asked for: neighbours are nearly always wanted next.
const AHEAD: u64 = 3;

type Page = Option<Box<[u8]>>;

/// The memory of one process.
pub(crate) struct ProcessMemory {
    /// None: there is no process, and nothing can be read.
    whose: Option<(Arc<dyn Backend>, ProcessId)>,
    /// By page number; none: not readable.
    pages: Mutex<HashMap<u64, Page>>,
}

impl ProcessMemory {
    pub fn new(backend: Arc<dyn Backend>, process: ProcessId) -> ProcessMemory {
        ProcessMemory {
            whose: Some((backend, process)),
            pages: Mutex::default(),
        }
    }

    /// Stands in where there is no process.
    pub fn of_nobody() -> ProcessMemory {
        ProcessMemory {
            whose: None,
            pages: Mutex::default(),
        }
    }

    /// Forgets everything: the process has run.
    pub fn forget(&self) {
        self.lock().clear();
    }

    /// Remembers bytes that came by another way (a snapshot of a stack); only whole pages count.
    pub fn remember(&self, address: u64, bytes: &[u8]) {
        let skip = (PAGE - address % PAGE) % PAGE;
        let Some(bytes) = bytes.get(skip as usize..) else {
            return;
        };
        let mut pages = self.lock();
        for (index, page) in bytes.chunks_exact(PAGE as usize).enumerate() {
            pages.insert((address + skip) / PAGE + index as u64, Some(page.into()));
        }
    }

    /// Writes into the process.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        let (backend, process) = self.whose.as_ref().ok_or(DebuggerError::NoProcess)?;
        let write = MemoryWrite {
            process: *process,
            address,
            data: bytes.to_vec(),
        };
        let results = backend.write_memory(vec![write])?;
        self.forget();
        results.check().map_err(|_| DebuggerError::Memory(address))
    }

    /// Reads as much as can be read, up to `length`.
    pub fn read_some(&self, address: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        match self.read(address, &mut bytes) {
            Ok(()) => bytes,
            Err(end) => {
                bytes.truncate(end.address.saturating_sub(address) as usize);
                bytes
            }
        }
    }

    /// A text that ends with a zero byte, `most` bytes at most.
    pub fn read_text(&self, address: u64, most: usize) -> Vec<u8> {
        let mut text = Vec::new();
        while text.len() < most {
            let piece = self.read_some(address + text.len() as u64, 64.min(most - text.len()));
            match piece.iter().position(|&byte| byte == 0) {
                Some(end) => {
                    text.extend_from_slice(&piece[..end]);
                    break;
                }
                None if piece.is_empty() => break,
                None => text.extend_from_slice(&piece),
            }
        }
        text
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Page>> {
        self.pages
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Fetches the pages of a range that are not remembered yet.
    fn fetch(&self, first: u64, last: u64) {
        let missing: Vec<u64> = {
            let pages = self.lock();
            let wanted: Vec<u64> = (first..=last)
                .filter(|page| !pages.contains_key(page))
                .collect();
            match wanted.last() {
                None => return,
                Some(&end) => {
                    // Nothing lies beyond the last page of the address space.
                    let ahead = (end + 1..=end + AHEAD)
                        .take_while(|page| *page <= u64::MAX / PAGE && !pages.contains_key(page));
                    wanted.iter().copied().chain(ahead).collect()
                }
            }
        };
        let contents = self.whose.as_ref().map(|(backend, process)| {
            let ranges = missing
                .iter()
                .map(|page| MemoryRange {
                    process: *process,
                    address: page * PAGE,
                    length: PAGE,
                })
                .collect();
            backend.read_memory(ranges).unwrap_or_default()
        });
        let contents = contents.unwrap_or_default();
        let mut pages = self.lock();
        for (index, page) in missing.into_iter().enumerate() {
            let data = contents
                .get(index)
                .map(|contents| contents.data.as_slice())
                .unwrap_or_default();
            let whole = data.len() == PAGE as usize;
            pages.insert(page, whole.then(|| data.into()));
        }
    }
}

impl Memory for ProcessMemory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> std::result::Result<(), Unreadable> {
        if buffer.is_empty() {
            return Ok(());
        }
        let Some(end) = address.checked_add(buffer.len() as u64 - 1) else {
            return Err(Unreadable { address });
        };
        self.fetch(address / PAGE, end / PAGE);
        let pages = self.lock();
        let mut at = address;
        let mut filled = 0;
        while filled < buffer.len() {
            let Some(Some(page)) = pages.get(&(at / PAGE)) else {
                return Err(Unreadable { address: at });
            };
            let from = (at % PAGE) as usize;
            let count = (page.len() - from).min(buffer.len() - filled);
            buffer[filled..filled + count].copy_from_slice(&page[from..from + count]);
            filled += count;
            at = at.wrapping_add(count as u64);
        }
        Ok(())
    }
}
