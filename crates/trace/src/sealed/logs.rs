//! Unpacking of logs and of the payloads that they refer to.

use std::sync::{Arc, PoisonError};
use std::thread;

use wayfarer_model::ThreadId;

use super::ahead::made_ahead;
use super::{Part, Sealed, checked};
use crate::error::{Damage, ReadError};
use crate::packing::unpack;
use crate::tables::Thread;

/// Unpacked payload blocks that are kept, in bytes.
const PAYLOAD_CACHE: usize = 64 << 20;
/// Blocks that are unpacked at the same time, at most.
const MOST_WORKERS: usize = 8;

type Unpacked = Arc<Vec<u8>>;

impl Sealed {
    /// Gives the parts of a thread's log to `sink`, in order; stops at the first that is damaged.
    pub(crate) fn log(
        &self,
        thread: ThreadId,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ReadError> {
        let parts = self
            .parts
            .get(&thread)
            .ok_or(ReadError::NoSuchThread(thread))?;
        let mut done = 0;
        for part in parts {
            let block = self
                .kept_block(part.block)
                .map_err(|error| within(error, thread, done))?;
            sink(part.of(&block));
            done += part.length;
        }
        Ok(())
    }

    /// Gives the logs of all `threads` to `sink`, thread after thread; blocks are unpacked ahead, side by side. A log
    /// ends at its first damaged part, which `failed` is told.
    pub(crate) fn all_logs(
        &self,
        threads: &[Thread],
        sink: &mut dyn FnMut(ThreadId, &[u8]),
        failed: &mut dyn FnMut(ReadError),
    ) {
        let parts: Vec<(ThreadId, Part)> = threads
            .iter()
            .filter_map(|thread| Some((thread.id, self.parts.get(&thread.id)?)))
            .flat_map(|(thread, parts)| parts.iter().map(move |part| (thread, *part)))
            .collect();
        // Threads that share a block follow each other.
        let mut blocks: Vec<usize> = parts.iter().map(|(_, part)| part.block).collect();
        blocks.dedup();
        let workers = thread::available_parallelism()
            .map_or(1, usize::from)
            .min(MOST_WORKERS);
        let make = |index: usize| self.unpack_log(blocks[index]);
        made_ahead(blocks.len(), workers, make, |unpacked| {
            let mut current: Option<(usize, Result<Unpacked, ReadError>)> = None;
            let mut next = 0;
            // The thread, how much of its log came, and whether the rest is lost.
            let mut progress = (ThreadId(0), 0, false);
            for (thread, part) in &parts {
                if progress.0 != *thread {
                    progress = (*thread, 0, false);
                }
                if current
                    .as_ref()
                    .is_none_or(|(block, _)| *block != part.block)
                {
                    current = unpacked.take(next).map(|result| (part.block, result));
                    next += 1;
                }
                if progress.2 {
                    continue;
                }
                match &current {
                    Some((_, Ok(block))) => {
                        sink(*thread, part.of(block));
                        progress.1 += part.length;
                    }
                    // The error itself comes out when the block is unpacked on its own.
                    _ => {
                        progress.2 = true;
                        if let Err(error) = self.unpack_log(part.block) {
                            failed(within(error, *thread, progress.1));
                        }
                    }
                }
            }
        });
    }

    /// An unpacked log block; the last one is kept, as threads that share one are read in turn.
    fn kept_block(&self, index: usize) -> Result<Unpacked, ReadError> {
        let mut cache = self
            .log_cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((kept, block)) = &*cache
            && *kept == index
        {
            return Ok(Arc::clone(block));
        }
        let block = self.unpack_log(index)?;
        *cache = Some((index, Arc::clone(&block)));
        Ok(block)
    }

    fn unpack_log(&self, index: usize) -> Result<Unpacked, ReadError> {
        let block = &self.blocks[index];
        let segments = self.segments.get(&index).map_or(&[][..], Vec::as_slice);
        let body = self.body(block)?;
        let packed = body.get(block.head.directory as usize..).unwrap_or(&[]);
        let raw = unpack(block.head.packing, packed, segments, &mut |number, into| {
            self.payload(number, into)
        });
        Ok(Arc::new(checked(block, raw)?))
    }

    /// Puts payload `number` after `into`.
    fn payload(&self, number: u64, into: &mut Vec<u8>) -> Result<(), String> {
        let missing = || format!("payload {number}, to which it refers, is missing");
        let after = self.payloads.partition_point(|range| range.first <= number);
        let range = after
            .checked_sub(1)
            .and_then(|last| self.payloads.get(last));
        let range = range.ok_or_else(missing)?;
        let place = usize::try_from(number - range.first).map_err(|_| missing())?;
        let end = *range.ends.get(place).ok_or_else(missing)? as usize;
        let start = place.checked_sub(1).map_or(0, |before| range.ends[before]) as usize;
        let block = self
            .payload_block(range.block)
            .map_err(|error| error.to_string())?;
        into.extend_from_slice(block.get(start..end).ok_or_else(missing)?);
        Ok(())
    }

    fn payload_block(&self, index: usize) -> Result<Unpacked, ReadError> {
        let mut cache = self
            .payload_cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = cache.iter().position(|(kept, _)| *kept == index) {
            // The most recently used stands last.
            let entry = cache.remove(place);
            let block = Arc::clone(&entry.1);
            cache.push(entry);
            return Ok(block);
        }
        let block = Arc::new(self.unpack_plain(&self.blocks[index])?);
        cache.push((index, Arc::clone(&block)));
        let mut held: usize = cache.iter().map(|(_, block)| block.len()).sum();
        while held > PAYLOAD_CACHE && cache.len() > 1 {
            held -= cache.remove(0).1.len();
        }
        Ok(block)
    }
}

impl Part {
    /// Its bytes in the unpacked block. Both were held against the length of the block.
    fn of<'a>(&self, block: &'a [u8]) -> &'a [u8] {
        let start = self.start as usize;
        block
            .get(start..start + self.length as usize)
            .unwrap_or(&[])
    }
}

/// Adds to an error whose log suffers and how far that is good.
fn within(error: ReadError, thread: ThreadId, good_until: u64) -> ReadError {
    match error {
        ReadError::Damaged(damage) => Damage {
            thread: Some(thread),
            good_until,
            ..damage
        }
        .into(),
        other => other,
    }
}
