//! Sealing: the raw session becomes the sealed file.
//!
//! The session is read chunk by chunk and written block by block, so memory holds a few blocks at
//! most. The session is deleted only when the sealed file is complete under its name.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;

use wayfarer_model::ThreadId;
use wayfarer_runtime_abi::record;

use crate::error::{OpenError, SealError};
use crate::facts::{self, Facts};
use crate::format::{
    BlockHead, LOG_BLOCK_BYTES, PAYLOAD_BLOCK_BYTES, Segment, TRAILER_MAGIC,
    encode_payload_directory, file_head, kind, packing,
};
use crate::packing::{BULK_LEVEL, Reference, compress, is_stored_apart, pack};
use crate::payloads::{Numbered, Numbering};
use crate::session::Session;
use crate::source::FileSource;
use crate::{EVENTS_FILE, Manifest, SESSION_FILE};

/// Blocks that are packed at the same time, at most.
const MOST_WORKERS: usize = 8;

/// How to seal.
#[derive(Clone, Copy, Debug)]
pub struct SealOptions {
    /// Wait until the sealed file has reached the disk before the session is deleted.
    pub durable: bool,
}

/// What sealing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SealReport {
    pub processes: u64,
    pub threads: u64,
    /// Bytes of all logs.
    pub log_bytes: u64,
    /// Bytes of the sealed file.
    pub sealed_bytes: u64,
    /// What was wrong with the session; those parts are not in the sealed file.
    pub damage: Vec<crate::Damage>,
}

/// Seals the trace at `directory`: reads `session`, writes `events.wft`, deletes `session`. A trace
/// that is sealed already stays as it is.
pub fn seal(directory: &Path) -> Result<SealReport, SealError> {
    seal_with(directory, SealOptions { durable: true })
}

/// As [`seal`], with options.
pub fn seal_with(directory: &Path, options: SealOptions) -> Result<SealReport, SealError> {
    Manifest::read(directory)?;
    let session_path = directory.join(SESSION_FILE);
    let sealed_path = directory.join(EVENTS_FILE);
    let source = match FileSource::open(&session_path) {
        Ok(source) => source,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match fs::metadata(&sealed_path) {
                Ok(data) => Ok(SealReport {
                    sealed_bytes: data.len(),
                    ..SealReport::default()
                }),
                Err(_) => Err(OpenError::NoEvents {
                    directory: directory.to_path_buf(),
                }
                .into()),
            };
        }
        Err(source) => {
            return Err(OpenError::Unreadable {
                path: session_path,
                source,
            }
            .into());
        }
    };
    let session = Session::open(Box::new(source), &session_path)?;

    let temporary = directory.join(".events.wft.new");
    let unwritable = |path: &Path, source| SealError::Unwritable {
        path: path.to_path_buf(),
        source,
    };
    let result = File::create(&temporary)
        .map_err(|error| unwritable(&temporary, error))
        .and_then(|file| {
            let report = write_sealed(&session, BufWriter::new(&file), &temporary)?;
            if options.durable {
                file.sync_all()
                    .map_err(|error| unwritable(&temporary, error))?;
            }
            Ok(report)
        })
        .and_then(|report| {
            let renamed = fs::rename(&temporary, &sealed_path);
            renamed.map_err(|error| unwritable(&sealed_path, error))?;
            Ok(report)
        });
    let report = result.inspect_err(|_| {
        // Half a sealed file is of no use; the session is still there.
        let _ = fs::remove_file(&temporary);
    })?;
    if options.durable {
        // The new name must be on disk before the session goes.
        let synced = File::open(directory).and_then(|directory| directory.sync_all());
        synced.map_err(|error| unwritable(directory, error))?;
    }
    fs::remove_file(&session_path).map_err(|error| unwritable(&session_path, error))?;
    Ok(report)
}

/// Writes a sealed file of `session`; `path` is for messages.
pub(crate) fn write_sealed(
    session: &Session,
    output: impl Write,
    path: &Path,
) -> Result<SealReport, SealError> {
    let mut writer = Writer {
        session,
        output,
        path: path.to_path_buf(),
        position: 0,
        index: Vec::new(),
        numbering: Numbering::default(),
        payloads: Vec::new(),
        payload_lengths: Vec::new(),
        payload_first: 0,
        log: PendingLog::default(),
        full: Vec::new(),
        workers: thread::available_parallelism()
            .map_or(1, usize::from)
            .min(MOST_WORKERS),
    };
    writer.put(&file_head())?;
    writer.put_block(kind::TABLES, &[], &session.tables.encode())?;
    let mut facts = Facts::default();
    let mut report = SealReport {
        processes: session.tables.processes.len() as u64,
        threads: session.tables.threads.len() as u64,
        damage: session.damage.clone(),
        ..SealReport::default()
    };
    for thread in &session.tables.threads {
        report.log_bytes += thread.log_length;
        writer.log.part = 0;
        for piece in session.pieces(thread.id) {
            let bytes = session.read_piece(*piece)?;
            facts.visit(thread.id, &bytes);
            writer.add_log(thread.id, piece.offset, &bytes)?;
        }
    }
    writer.close_log()?;
    writer.put_logs()?;
    writer.put_payloads()?;
    let mut processes = session.tables.processes.clone();
    facts.apply(&mut processes, &session.tables.threads);
    writer.put_block(kind::FACTS, &[], &facts::encode(&processes))?;
    report.sealed_bytes = writer.finish()?;
    Ok(report)
}

/// Log bytes that wait for their block to fill.
#[derive(Default)]
struct PendingLog {
    raw: Vec<u8>,
    segments: Vec<Segment>,
    references: Vec<Reference>,
    /// Next part of the current thread.
    part: u32,
}

impl PendingLog {
    fn pack(&self) -> (u32, Vec<u8>) {
        pack(&self.raw, &self.segments, &self.references)
    }
}

struct Writer<'a, W: Write> {
    session: &'a Session,
    output: W,
    path: PathBuf,
    position: u64,
    /// Offset and head of each block.
    index: Vec<u8>,
    numbering: Numbering,
    payloads: Vec<u8>,
    payload_lengths: Vec<u64>,
    payload_first: u64,
    log: PendingLog,
    /// Filled blocks, packed side by side when there is one for each worker.
    full: Vec<PendingLog>,
    workers: usize,
}

impl<W: Write> Writer<'_, W> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), SealError> {
        self.position += bytes.len() as u64;
        let result = self.output.write_all(bytes);
        result.map_err(|source| SealError::Unwritable {
            path: self.path.clone(),
            source,
        })
    }

    fn put_block(&mut self, kind: u32, directory: &[u8], raw: &[u8]) -> Result<(), SealError> {
        let packed = compress(raw, BULK_LEVEL);
        self.put_packed(kind, packing::ZSTD, directory, raw, &packed)
    }

    fn put_packed(
        &mut self,
        kind: u32,
        packing: u32,
        directory: &[u8],
        raw: &[u8],
        packed: &[u8],
    ) -> Result<(), SealError> {
        let mut crc = crc32fast::Hasher::new();
        crc.update(directory);
        crc.update(packed);
        let head = BlockHead {
            kind,
            packing,
            directory: directory.len() as u32,
            raw_length: raw.len() as u64,
            stored_length: (directory.len() + packed.len()) as u64,
            body_crc: crc.finalize(),
            raw_crc: crc32fast::hash(raw),
        };
        let head = head.encode();
        self.index.extend_from_slice(&self.position.to_le_bytes());
        self.index.extend_from_slice(&head);
        self.put(&head)?;
        self.put(directory)?;
        self.put(packed)
    }

    /// Takes a piece of a thread's log; `offset` is where the session holds it.
    fn add_log(&mut self, thread: ThreadId, offset: u64, piece: &[u8]) -> Result<(), SealError> {
        if piece.is_empty() {
            return Ok(());
        }
        if !self.log.raw.is_empty() && self.log.raw.len() + piece.len() > LOG_BLOCK_BYTES {
            self.close_log()?;
        }
        self.add_references(offset, piece)?;
        self.log.raw.extend_from_slice(piece);
        match self.log.segments.last_mut() {
            Some(last) if last.thread == thread.0 => last.length += piece.len() as u64,
            _ => {
                let part = self.log.part;
                self.log.part += 1;
                let length = piece.len() as u64;
                self.log.segments.push(Segment {
                    thread: thread.0,
                    part,
                    length,
                });
            }
        }
        Ok(())
    }

    fn add_references(&mut self, offset: u64, piece: &[u8]) -> Result<(), SealError> {
        let mut position = 0;
        while let Ok(found) = record::read(&piece[position..]) {
            let apart = is_stored_apart(&found, &piece[position..]);
            position += found.length;
            if !apart {
                continue;
            }
            let start = position - found.payload.len();
            let place = offset + start as u64;
            let number = match self.numbering.number(self.session, place, found.payload) {
                Numbered::Old(number) => number,
                Numbered::New(number) => {
                    self.payloads.extend_from_slice(found.payload);
                    self.payload_lengths.push(found.payload.len() as u64);
                    if self.payloads.len() >= PAYLOAD_BLOCK_BYTES {
                        self.put_payloads()?;
                    }
                    number
                }
            };
            self.log.references.push(Reference {
                position: self.log.raw.len() + start,
                length: found.payload.len(),
                number,
            });
        }
        Ok(())
    }

    /// Ends the block that is being filled.
    fn close_log(&mut self) -> Result<(), SealError> {
        let log = std::mem::take(&mut self.log);
        self.log.part = log.part;
        if !log.segments.is_empty() {
            self.full.push(log);
        }
        if self.full.len() >= self.workers {
            self.put_logs()
        } else {
            Ok(())
        }
    }

    fn put_logs(&mut self) -> Result<(), SealError> {
        let logs = std::mem::take(&mut self.full);
        let packed: Vec<(u32, Vec<u8>)> = thread::scope(|scope| {
            let workers: Vec<_> = logs.iter().map(|log| scope.spawn(|| log.pack())).collect();
            let joined = workers.into_iter().zip(&logs);
            // Packing does not panic; should it ever, it does so here once more and is seen.
            joined
                .map(|(worker, log)| worker.join().unwrap_or_else(|_| log.pack()))
                .collect()
        });
        for (log, (packing, packed)) in logs.iter().zip(packed) {
            let directory = Segment::encode_all(&log.segments);
            self.put_packed(kind::LOG, packing, &directory, &log.raw, &packed)?;
        }
        Ok(())
    }

    fn put_payloads(&mut self) -> Result<(), SealError> {
        if self.payload_lengths.is_empty() {
            return Ok(());
        }
        let directory = encode_payload_directory(self.payload_first, &self.payload_lengths);
        self.payload_first += self.payload_lengths.len() as u64;
        self.payload_lengths.clear();
        let payloads = std::mem::take(&mut self.payloads);
        self.put_block(kind::PAYLOADS, &directory, &payloads)
    }

    /// Writes the index and the trailer; the length of the whole file.
    fn finish(mut self) -> Result<u64, SealError> {
        let offset = self.position;
        let index = std::mem::take(&mut self.index);
        self.put_block(kind::INDEX, &[], &index)?;
        self.put(&offset.to_le_bytes())?;
        self.put(&TRAILER_MAGIC)?;
        let flushed = self.output.flush();
        flushed.map_err(|source| SealError::Unwritable {
            path: self.path.clone(),
            source,
        })?;
        Ok(self.position)
    }
}
